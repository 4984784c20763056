package draw

import (
	"bytes"
	_ "embed" // the fonts
	"image"
	"image/color"
	"image/png"
	"math"
	"slices"
	"strings"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// Figure is a number and what it counts: "$2.1M", "given since 2014".
type Figure struct{ Value, Label string }

// MaxFigures is how many figures a shared picture has; the page has the others.
const MaxFigures = 4

// Share draws the preview picture of a page as PNG, 1200 by 630 pixels: a title of up to three lines, a subtitle of up to two,
// and figures. Longer texts end in an ellipsis. A character that the fonts lack becomes a question mark.
func Share(title, line string, figures []Figure) ([]byte, error) {
	c := newCanvas()
	const left, right = 80.0, 1120.0
	c.brand(left, 66)

	size, lines := 0.0, []string(nil)
	for _, try := range []struct {
		size  float64
		lines int
	}{{92, 1}, {76, 2}, {60, 3}, {48, 3}} {
		size, lines = try.size, wrapTo(title, right-left, try.lines, serifFont().ruler(try.size))
		if strings.Join(lines, " ") == squeeze(title) {
			break
		}
	}
	y := 152 + size
	for _, text := range lines {
		c.text(serifFont(), text, left, y, size, inkShade)
		y += size * 1.16
	}
	const lowest = 456 // a rule above the figures
	for _, text := range wrapTo(line, right-left, min(2, 1+int(lowest-y)/44), sansFont().ruler(34)) {
		c.text(sansFont(), text, left, y, 34, softShade)
		y += 44
	}

	figures = figures[:min(len(figures), MaxFigures)]
	wide := (right - left) / float64(max(len(figures), 3))
	for i, f := range figures {
		x := left + float64(i)*wide
		if i > 0 {
			c.box(int(x)-26, 472, 2, 92, lineShade)
		}
		c.text(serifFont(), cutTo(f.Value, wide-40, serifFont().ruler(54)), x, 516, 54, accentShade)
		c.text(sansFont(), cutTo(f.Label, wide-40, sansFont().ruler(27)), x, 560, 27, softShade)
	}
	c.box(0, 614, 1200, 16, accentShade)
	c.box(900, 614, 300, 16, warmShade)
	var b bytes.Buffer
	if err := pngEncoder.Encode(&b, c.img); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// pngEncoder compresses fast: the picture is flat, and more effort gains little.
var pngEncoder = png.Encoder{CompressionLevel: png.BestSpeed, BufferPool: new(encoderPool)}

type encoderPool struct{ sync.Pool }

func (p *encoderPool) Get() *png.EncoderBuffer {
	b, _ := p.Pool.Get().(*png.EncoderBuffer)
	return b
}
func (p *encoderPool) Put(b *png.EncoderBuffer) { p.Pool.Put(b) }

// shade is one of the colors of the canvas. A pixel is the paper, or a color
// blended with it in one of a few steps, so a pixel fits in a byte.
type shade uint8

const (
	inkShade shade = iota
	softShade
	accentShade
	warmShade
	lineShade
	shadeCount
	shadeSteps = 40
)

// sharePalette has the colors of the site's light theme.
var sharePalette = func() color.Palette {
	paper := [3]float64{0xfb, 0xfa, 0xf7}
	all := color.Palette{color.RGBA{0xfb, 0xfa, 0xf7, 0xff}}
	for _, c := range [shadeCount][3]float64{{0x1d, 0x25, 0x28}, {0x5b, 0x67, 0x6b}, {0x0f, 0x76, 0x6e}, {0xd9, 0x77, 0x06}, {0xde, 0xda, 0xd0}} {
		for step := 1; step <= shadeSteps; step++ {
			var mixed [3]uint8
			for i := range mixed {
				mixed[i] = uint8(math.Round(paper[i] + (c[i]-paper[i])*float64(step)/shadeSteps))
			}
			all = append(all, color.RGBA{mixed[0], mixed[1], mixed[2], 0xff})
		}
	}
	return all
}()

type canvas struct {
	img   *image.Paletted
	paint vector.Rasterizer
	mask  *image.Alpha
	buf   sfnt.Buffer
}

func newCanvas() *canvas {
	size := image.Rect(0, 0, 1200, 630)
	return &canvas{img: image.NewPaletted(size, sharePalette), mask: image.NewAlpha(image.Rect(0, 0, 1200, 160))}
}

// fill paints the shape in the rasterizer, which has the size of area. Parts outside the picture are not painted.
func (c *canvas) fill(area image.Rectangle, s shade) {
	mask := c.mask
	mask.Rect = image.Rect(0, 0, area.Dx(), area.Dy())
	mask.Stride = area.Dx()
	mask.Pix = slices.Grow(mask.Pix[:0], mask.Stride*area.Dy())[:mask.Stride*area.Dy()]
	clear(mask.Pix)
	c.paint.Draw(mask, mask.Rect, image.Opaque, image.Point{})
	inside := area.Intersect(c.img.Rect)
	for y := inside.Min.Y; y < inside.Max.Y; y++ {
		from := mask.Pix[(y-area.Min.Y)*mask.Stride:]
		to := c.img.Pix[y*c.img.Stride:]
		for x := inside.Min.X; x < inside.Max.X; x++ {
			if step := (int(from[x-area.Min.X])*shadeSteps + 127) / 255; step > 0 {
				to[x] = uint8(1 + int(s)*shadeSteps + step - 1)
			}
		}
	}
}

func (c *canvas) box(x, y, width, height int, s shade) {
	area := image.Rect(x, y, x+width, y+height).Intersect(c.img.Rect)
	for y := area.Min.Y; y < area.Max.Y; y++ {
		row := c.img.Pix[y*c.img.Stride:]
		for x := area.Min.X; x < area.Max.X; x++ {
			row[x] = uint8(1 + int(s)*shadeSteps + shadeSteps - 1)
		}
	}
}

// text writes a line with its baseline at y.
func (c *canvas) text(f *shareFont, text string, x, y, size float64, s shade) {
	area := image.Rect(int(x)-8, int(y-size*1.1), int(x+f.walk(&c.buf, text, size, nil))+8, int(y+size*.4))
	c.paint.Reset(area.Dx(), area.Dy())
	at := func(p fixed.Point26_6, dx, dy float64) (float32, float32) {
		return float32(float64(p.X)/64 + dx), float32(float64(p.Y)/64 + dy)
	}
	dx, dy := x-float64(area.Min.X), y-float64(area.Min.Y)
	f.walk(&c.buf, text, size, func(g sfnt.GlyphIndex, ahead float64) {
		segments, err := f.LoadGlyph(&c.buf, g, fixed.Int26_6(size*64), nil)
		if err != nil {
			return
		}
		for i, part := range segments {
			x1, y1 := at(part.Args[0], dx+ahead, dy)
			x2, y2 := at(part.Args[1], dx+ahead, dy)
			x3, y3 := at(part.Args[2], dx+ahead, dy)
			switch part.Op {
			case sfnt.SegmentOpMoveTo:
				if i > 0 {
					c.paint.ClosePath()
				}
				c.paint.MoveTo(x1, y1)
			case sfnt.SegmentOpLineTo:
				c.paint.LineTo(x1, y1)
			case sfnt.SegmentOpQuadTo:
				c.paint.QuadTo(x1, y1, x2, y2)
			case sfnt.SegmentOpCubeTo:
				c.paint.CubeTo(x1, y1, x2, y2, x3, y3)
			}
		}
		c.paint.ClosePath()
	})
	c.fill(area, s)
}

// brand draws the site's mark, as in static/mark.svg, and its name.
func (c *canvas) brand(x, y int) {
	const scale = 1.75
	area := image.Rect(x, y, x+56, y+56)
	c.paint.Reset(56, 56)
	for _, l := range [][4]float64{{8, 9, 22, 7}, {8, 9, 11, 23}, {11, 23, 24, 19}, {8, 9, 24, 19}} {
		c.stroke(l[0]*scale, l[1]*scale, l[2]*scale, l[3]*scale, 2.4*scale)
	}
	c.disk(8*scale, 9*scale, 4.2*scale)
	c.disk(11*scale, 23*scale, 3.4*scale)
	c.fill(area, accentShade)
	c.paint.Reset(56, 56)
	c.disk(22.5*scale, 7*scale, 3*scale)
	c.disk(24*scale, 19*scale, 4*scale)
	c.fill(area, warmShade)
	c.text(serifFont(), "Grantgraph", float64(x)+66, float64(y)+38, 36, inkShade)
}

func (c *canvas) stroke(x1, y1, x2, y2, width float64) {
	long := math.Hypot(x2-x1, y2-y1)
	nx, ny := (y2-y1)/long*width/2, (x1-x2)/long*width/2
	c.paint.MoveTo(float32(x1+nx), float32(y1+ny))
	c.paint.LineTo(float32(x2+nx), float32(y2+ny))
	c.paint.LineTo(float32(x2-nx), float32(y2-ny))
	c.paint.LineTo(float32(x1-nx), float32(y1-ny))
	c.paint.ClosePath()
}

// disk draws a circle in the direction of stroke, so that overlapping shapes add up.
func (c *canvas) disk(x, y, r float64) {
	const corners = 48
	for i := range corners {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / corners)
		if px, py := float32(x+r*cos), float32(y+r*sin); i == 0 {
			c.paint.MoveTo(px, py)
		} else {
			c.paint.LineTo(px, py)
		}
	}
	c.paint.ClosePath()
}

// The site's fonts for the rasterizer. scripts/fonts makes them.
var (
	//go:embed fonts/literata-600.ttf
	serifFile []byte
	//go:embed fonts/public-sans-400.ttf
	sansFile []byte

	serifFont = sync.OnceValue(func() *shareFont { return newShareFont(serifFile) })
	sansFont  = sync.OnceValue(func() *shareFont { return newShareFont(sansFile) })
)

type shareFont struct {
	*sfnt.Font
	unknown sfnt.GlyphIndex // stands for characters that the font lacks
}

func newShareFont(file []byte) *shareFont {
	f, err := sfnt.Parse(file)
	if err != nil {
		panic("draw: an embedded font cannot be read: " + err.Error())
	}
	unknown, err := f.GlyphIndex(nil, '?')
	if err != nil {
		panic("draw: an embedded font has no question mark: " + err.Error())
	}
	return &shareFont{f, unknown}
}

// walk visits the characters of a text with their positions, and returns its width.
func (f *shareFont) walk(buf *sfnt.Buffer, text string, size float64, each func(g sfnt.GlyphIndex, ahead float64)) float64 {
	ppem := fixed.Int26_6(size * 64)
	ahead, last := fixed.Int26_6(0), sfnt.GlyphIndex(0)
	for _, r := range text {
		g, err := f.GlyphIndex(buf, r)
		if err != nil || g == 0 {
			g = f.unknown
		}
		if kern, err := f.Kern(buf, last, g, ppem, font.HintingNone); err == nil && last != 0 {
			ahead += kern
		}
		if each != nil {
			each(g, float64(ahead)/64)
		}
		if advance, err := f.GlyphAdvance(buf, g, ppem, font.HintingNone); err == nil {
			ahead += advance
		}
		last = g
	}
	return float64(ahead) / 64
}

func (f *shareFont) ruler(size float64) ruler {
	var buf sfnt.Buffer
	return func(text string) float64 { return f.walk(&buf, text, size, nil) }
}
