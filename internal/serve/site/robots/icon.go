package robots

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/png"
	"math"
	"net/http"
	"sync"
	"time"
)

// The site's mark, as in static/mark.svg, on a square of 32.
var (
	edges = [][4]float64{{8, 9, 22, 7}, {8, 9, 11, 23}, {11, 23, 24, 19}, {8, 9, 24, 19}}
	nodes = []struct {
		x, y, r float64
		warm    bool
	}{{8, 9, 4.2, false}, {11, 23, 3.4, false}, {22.5, 7, 3, true}, {24, 19, 4, true}}
)

const iconSide = 32

// icon is the mark as an ICO file with one picture, for browsers that always ask
// for favicon.ico.
var icon = sync.OnceValue(func() []byte {
	const fine = 8 // samples along a side of each pixel
	picture := image.NewNRGBA(image.Rect(0, 0, iconSide, iconSide))
	for y := range iconSide {
		for x := range iconSide {
			var inside, red, green, blue int
			for i := range fine * fine {
				c, ok := markAt(float64(x)+(float64(i%fine)+.5)/fine, float64(y)+(float64(i/fine)+.5)/fine)
				if ok {
					inside, red, green, blue = inside+1, red+int(c.R), green+int(c.G), blue+int(c.B)
				}
			}
			if inside > 0 {
				picture.SetNRGBA(x, y, color.NRGBA{uint8(red / inside), uint8(green / inside), uint8(blue / inside), uint8(255 * inside / (fine * fine))})
			}
		}
	}
	var drawn, file bytes.Buffer
	if err := png.Encode(&drawn, picture); err != nil {
		panic(err) // a buffer never fails
	}
	const header = 6 + 16
	for _, part := range []any{
		[]uint16{0, 1, 1},                     // an icon with one picture
		[]byte{iconSide, iconSide, 0, 0},      // its size, and no palette
		[]uint16{1, 32},                       // planes and bits of a pixel
		[]uint32{uint32(drawn.Len()), header}, // its length and offset
	} {
		if err := binary.Write(&file, binary.LittleEndian, part); err != nil {
			panic(err)
		}
	}
	file.Write(drawn.Bytes())
	return file.Bytes()
})

// markAt is the color of the mark at a point, if the point is on the mark.
func markAt(x, y float64) (c color.NRGBA, ok bool) {
	green, amber := color.NRGBA{0x0f, 0x76, 0x6e, 0xff}, color.NRGBA{0xd9, 0x77, 0x06, 0xff}
	for _, e := range edges {
		dx, dy := e[2]-e[0], e[3]-e[1]
		t := max(0, min(1, ((x-e[0])*dx+(y-e[1])*dy)/(dx*dx+dy*dy)))
		if math.Hypot(x-e[0]-t*dx, y-e[1]-t*dy) <= 1.2 {
			c, ok = green, true
		}
	}
	for _, n := range nodes {
		if math.Hypot(x-n.x, y-n.y) <= n.r {
			if c, ok = green, true; n.warm {
				c = amber
			}
		}
	}
	return c, ok
}

func serveIcon(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "image/x-icon")
	w.Header().Set("Cache-Control", "public, max-age=86400")
	http.ServeContent(w, r, "favicon.ico", time.Time{}, bytes.NewReader(icon()))
}
