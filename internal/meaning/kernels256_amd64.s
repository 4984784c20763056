#include "textflag.h"

// Kernels for AVX2: sixteen lanes are two registers of eight. No fused
// multiply-add: see kernels.go.

DATA consts<>+0(SB)/8, $0x3fb8aa3b3fb8aa3b // log2 e
DATA consts<>+8(SB)/8, $0x3fb8aa3b3fb8aa3b
DATA consts<>+16(SB)/8, $0x3fb8aa3b3fb8aa3b
DATA consts<>+24(SB)/8, $0x3fb8aa3b3fb8aa3b
DATA consts<>+32(SB)/8, $0x3f3180003f318000 // ln 2, high part
DATA consts<>+40(SB)/8, $0x3f3180003f318000
DATA consts<>+48(SB)/8, $0x3f3180003f318000
DATA consts<>+56(SB)/8, $0x3f3180003f318000
DATA consts<>+64(SB)/8, $0xb95e8083b95e8083 // ln 2, low part
DATA consts<>+72(SB)/8, $0xb95e8083b95e8083
DATA consts<>+80(SB)/8, $0xb95e8083b95e8083
DATA consts<>+88(SB)/8, $0xb95e8083b95e8083
DATA consts<>+96(SB)/8, $0x3ab743ce3ab743ce // the polynomial, from the sixth power
DATA consts<>+104(SB)/8, $0x3ab743ce3ab743ce
DATA consts<>+112(SB)/8, $0x3ab743ce3ab743ce
DATA consts<>+120(SB)/8, $0x3ab743ce3ab743ce
DATA consts<>+128(SB)/8, $0x3c0889083c088908
DATA consts<>+136(SB)/8, $0x3c0889083c088908
DATA consts<>+144(SB)/8, $0x3c0889083c088908
DATA consts<>+152(SB)/8, $0x3c0889083c088908
DATA consts<>+160(SB)/8, $0x3d2aa9c13d2aa9c1
DATA consts<>+168(SB)/8, $0x3d2aa9c13d2aa9c1
DATA consts<>+176(SB)/8, $0x3d2aa9c13d2aa9c1
DATA consts<>+184(SB)/8, $0x3d2aa9c13d2aa9c1
DATA consts<>+192(SB)/8, $0x3e2aaaaa3e2aaaaa
DATA consts<>+200(SB)/8, $0x3e2aaaaa3e2aaaaa
DATA consts<>+208(SB)/8, $0x3e2aaaaa3e2aaaaa
DATA consts<>+216(SB)/8, $0x3e2aaaaa3e2aaaaa
DATA consts<>+224(SB)/8, $0x3f0000003f000000
DATA consts<>+232(SB)/8, $0x3f0000003f000000
DATA consts<>+240(SB)/8, $0x3f0000003f000000
DATA consts<>+248(SB)/8, $0x3f0000003f000000
DATA consts<>+256(SB)/8, $0x3f8000003f800000 // 1
DATA consts<>+264(SB)/8, $0x3f8000003f800000
DATA consts<>+272(SB)/8, $0x3f8000003f800000
DATA consts<>+280(SB)/8, $0x3f8000003f800000
DATA consts<>+288(SB)/8, $0xc2aeac4ac2aeac4a // least and
DATA consts<>+296(SB)/8, $0xc2aeac4ac2aeac4a
DATA consts<>+304(SB)/8, $0xc2aeac4ac2aeac4a
DATA consts<>+312(SB)/8, $0xc2aeac4ac2aeac4a
DATA consts<>+320(SB)/8, $0x42ae000042ae0000 // greatest argument
DATA consts<>+328(SB)/8, $0x42ae000042ae0000
DATA consts<>+336(SB)/8, $0x42ae000042ae0000
DATA consts<>+344(SB)/8, $0x42ae000042ae0000
DATA consts<>+352(SB)/8, $0x0000007f0000007f // 127
DATA consts<>+360(SB)/8, $0x0000007f0000007f
DATA consts<>+368(SB)/8, $0x0000007f0000007f
DATA consts<>+376(SB)/8, $0x0000007f0000007f
DATA consts<>+384(SB)/8, $0x3d3727133d372713 // 0.044715
DATA consts<>+392(SB)/8, $0x3d3727133d372713
DATA consts<>+400(SB)/8, $0x3d3727133d372713
DATA consts<>+408(SB)/8, $0x3d3727133d372713
DATA consts<>+416(SB)/8, $0xbfcc422abfcc422a // -1.5957691216
DATA consts<>+424(SB)/8, $0xbfcc422abfcc422a
DATA consts<>+432(SB)/8, $0xbfcc422abfcc422a
DATA consts<>+440(SB)/8, $0xbfcc422abfcc422a
DATA consts<>+448(SB)/8, $0x7fffffff7fffffff
DATA consts<>+456(SB)/8, $0x7fffffff7fffffff
DATA consts<>+464(SB)/8, $0x7fffffff7fffffff
DATA consts<>+472(SB)/8, $0x7fffffff7fffffff
GLOBL consts<>(SB), RODATA, $480

// Y0 = exp(Y0); takes Y1, Y2, Y3
#define EXP \
	VMAXPS    consts<>+288(SB), Y0, Y0 \
	VMINPS    consts<>+320(SB), Y0, Y0 \
	VMULPS    consts<>+0(SB), Y0, Y1   \
	VCVTPS2DQ Y1, Y1                   \
	VCVTDQ2PS Y1, Y2                   \
	VMULPS    consts<>+32(SB), Y2, Y3  \
	VSUBPS    Y3, Y0, Y0               \
	VMULPS    consts<>+64(SB), Y2, Y3  \
	VSUBPS    Y3, Y0, Y0               \
	VMULPS    consts<>+96(SB), Y0, Y2  \
	VADDPS    consts<>+128(SB), Y2, Y2 \
	VMULPS    Y0, Y2, Y2               \
	VADDPS    consts<>+160(SB), Y2, Y2 \
	VMULPS    Y0, Y2, Y2               \
	VADDPS    consts<>+192(SB), Y2, Y2 \
	VMULPS    Y0, Y2, Y2               \
	VADDPS    consts<>+224(SB), Y2, Y2 \
	VMULPS    Y0, Y2, Y2               \
	VADDPS    consts<>+256(SB), Y2, Y2 \
	VMULPS    Y0, Y2, Y2               \
	VADDPS    consts<>+256(SB), Y2, Y2 \
	VPADDD    consts<>+352(SB), Y1, Y1 \
	VPSLLD    $23, Y1, Y1              \
	VMULPS    Y1, Y2, Y0

// X0 = sum of the lanes of Y0 and Y1, folded in halves
#define TOTAL \
	VADDPS       Y1, Y0, Y0    \
	VEXTRACTF128 $1, Y0, X1    \
	VADDPS       X1, X0, X0    \
	VPSHUFD      $0x4E, X0, X1 \
	VADDPS       X1, X0, X0    \
	VPSHUFD      $0xB1, X0, X1 \
	VADDPS       X1, X0, X0

// X0 = greatest lane of Y0; takes X1
#define GREATEST \
	VEXTRACTF128 $1, Y0, X1    \
	VMAXPS       X1, X0, X0    \
	VPSHUFD      $0x4E, X0, X1 \
	VMAXPS       X1, X0, X0    \
	VPSHUFD      $0xB1, X0, X1 \
	VMAXPS       X1, X0, X0

// func absMax256(x []float32) float32
TEXT ·absMax256(SB), NOSPLIT, $0-28
	MOVQ    x_base+0(FP), SI
	MOVQ    x_len+8(FP), CX
	VMOVUPS consts<>+448(SB), Y3
	VPXOR   Y0, Y0, Y0

absLoop:
	VANDPS (SI), Y3, Y2
	VMAXPS Y2, Y0, Y0
	ADDQ   $32, SI
	SUBQ   $8, CX
	JNZ    absLoop
	GREATEST
	VMOVSS X0, ret+24(FP)
	VZEROUPPER
	RET

// func quantize256(q []int8, x []float32, inv float32) int32
// q gets numbers of two bytes.
TEXT ·quantize256(SB), NOSPLIT, $0-60
	MOVQ         q_base+0(FP), DI
	MOVQ         x_base+24(FP), SI
	MOVQ         x_len+32(FP), CX
	VBROADCASTSS inv+48(FP), Y1
	VPXOR        Y0, Y0, Y0

quantizeLoop:
	VMULPS    (SI), Y1, Y2
	VMULPS    32(SI), Y1, Y3
	VCVTPS2DQ Y2, Y2
	VCVTPS2DQ Y3, Y3
	VPADDD    Y2, Y0, Y0
	VPADDD    Y3, Y0, Y0
	VPACKSSDW Y3, Y2, Y2
	VPERMQ    $0xD8, Y2, Y2
	VMOVDQU   Y2, (DI)
	ADDQ      $64, SI
	ADDQ      $32, DI
	SUBQ      $16, CX
	JNZ       quantizeLoop
	VEXTRACTI128 $1, Y0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0x4E, X0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0xB1, X0, X1
	VPADDD       X1, X0, X0
	VMOVD        X0, AX
	MOVL         AX, ret+56(FP)
	VZEROUPPER
	RET

// func mul256(acc []int32, q []int8, k int, w []uint8)
// Four rows by eight columns at a time: a register of weights is four numbers
// of four columns, widened, and its products come in pairs.
TEXT ·mul256(SB), NOSPLIT, $0-80
	MOVQ acc_base+0(FP), BX
	MOVQ q_base+24(FP), R11
	MOVQ k+48(FP), DX
	MOVQ DX, R13
	SHRQ $2, R13
	SHLQ $1, DX
	LEAQ (DX)(DX*2), R9
	MOVQ $2, R12

rowGroup:
	MOVQ w_base+56(FP), R10
	MOVQ $6, R8

columnGroup:
	MOVQ  R10, DI
	MOVQ  R11, SI
	MOVQ  R13, CX
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	VPXOR Y4, Y4, Y4
	VPXOR Y5, Y5, Y5
	VPXOR Y6, Y6, Y6
	VPXOR Y7, Y7, Y7

mulLoop:
	VPMOVZXBW    (DI), Y8
	VPMOVZXBW    16(DI), Y9
	VPBROADCASTQ (SI), Y10
	VPBROADCASTQ (SI)(DX*1), Y11
	VPBROADCASTQ (SI)(DX*2), Y12
	VPBROADCASTQ (SI)(R9*1), Y13
	VPMADDWD     Y8, Y10, Y14
	VPADDD       Y14, Y0, Y0
	VPMADDWD     Y9, Y10, Y15
	VPADDD       Y15, Y1, Y1
	VPMADDWD     Y8, Y11, Y14
	VPADDD       Y14, Y2, Y2
	VPMADDWD     Y9, Y11, Y15
	VPADDD       Y15, Y3, Y3
	VPMADDWD     Y8, Y12, Y14
	VPADDD       Y14, Y4, Y4
	VPMADDWD     Y9, Y12, Y15
	VPADDD       Y15, Y5, Y5
	VPMADDWD     Y8, Y13, Y14
	VPADDD       Y14, Y6, Y6
	VPMADDWD     Y9, Y13, Y15
	VPADDD       Y15, Y7, Y7
	ADDQ         $192, DI
	ADDQ         $8, SI
	DECQ         CX
	JNZ          mulLoop
	VPHADDD      Y1, Y0, Y0
	VPERMQ       $0xD8, Y0, Y0
	VMOVDQU      Y0, (BX)
	VPHADDD      Y3, Y2, Y2
	VPERMQ       $0xD8, Y2, Y2
	VMOVDQU      Y2, 192(BX)
	VPHADDD      Y5, Y4, Y4
	VPERMQ       $0xD8, Y4, Y4
	VMOVDQU      Y4, 384(BX)
	VPHADDD      Y7, Y6, Y6
	VPERMQ       $0xD8, Y6, Y6
	VMOVDQU      Y6, 576(BX)
	ADDQ         $32, R10
	ADDQ         $32, BX
	DECQ         R8
	JNZ          columnGroup
	ADDQ         $576, BX
	LEAQ         (R11)(DX*4), R11
	DECQ         R12
	JNZ          rowGroup
	VZEROUPPER
	RET

// func dequantize256(out []float32, acc []int32, offset int32, scale float32, weight, bias []float32)
TEXT ·dequantize256(SB), NOSPLIT, $0-104
	MOVQ         out_base+0(FP), DI
	MOVQ         acc_base+24(FP), SI
	MOVL         offset+48(FP), AX
	VMOVD        AX, X0
	VPBROADCASTD X0, Y0
	VBROADCASTSS scale+52(FP), Y1
	MOVQ         weight_base+56(FP), R8
	MOVQ         bias_base+80(FP), R9
	MOVQ         $6, CX

dequantizeLoop:
	VMOVDQU   (SI), Y2
	VPSUBD    Y0, Y2, Y2
	VCVTDQ2PS Y2, Y2
	VMULPS    (R8), Y1, Y5
	VMULPS    Y5, Y2, Y2
	VADDPS    (R9), Y2, Y2
	VMOVUPS   Y2, (DI)
	ADDQ      $32, SI
	ADDQ      $32, DI
	ADDQ      $32, R8
	ADDQ      $32, R9
	DECQ      CX
	JNZ       dequantizeLoop
	VZEROUPPER
	RET

// func rows256(c []float32, ldc int, a []float32, lda int, b []float32, ldb, n int)
TEXT ·rows256(SB), NOSPLIT, $0-104
	MOVQ   c_base+0(FP), BX
	MOVQ   ldc+24(FP), AX
	MOVQ   a_base+32(FP), SI
	MOVQ   lda+56(FP), DX
	MOVQ   b_base+64(FP), DI
	MOVQ   ldb+88(FP), R8
	MOVQ   n+96(FP), CX
	SHLQ   $2, AX
	SHLQ   $2, DX
	SHLQ   $2, R8
	LEAQ   (DX)(DX*2), R9
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7

rowsLoop:
	VMOVUPS      (DI), Y8
	VMOVUPS      32(DI), Y9
	VBROADCASTSS (SI), Y10
	VMULPS       Y8, Y10, Y12
	VMULPS       Y9, Y10, Y13
	VADDPS       Y12, Y0, Y0
	VADDPS       Y13, Y1, Y1
	VBROADCASTSS (SI)(DX*1), Y11
	VMULPS       Y8, Y11, Y14
	VMULPS       Y9, Y11, Y15
	VADDPS       Y14, Y2, Y2
	VADDPS       Y15, Y3, Y3
	VBROADCASTSS (SI)(DX*2), Y10
	VMULPS       Y8, Y10, Y12
	VMULPS       Y9, Y10, Y13
	VADDPS       Y12, Y4, Y4
	VADDPS       Y13, Y5, Y5
	VBROADCASTSS (SI)(R9*1), Y11
	VMULPS       Y8, Y11, Y14
	VMULPS       Y9, Y11, Y15
	VADDPS       Y14, Y6, Y6
	VADDPS       Y15, Y7, Y7
	ADDQ         R8, DI
	ADDQ         $4, SI
	DECQ         CX
	JNZ          rowsLoop
	VMOVUPS      Y0, (BX)
	VMOVUPS      Y1, 32(BX)
	ADDQ         AX, BX
	VMOVUPS      Y2, (BX)
	VMOVUPS      Y3, 32(BX)
	ADDQ         AX, BX
	VMOVUPS      Y4, (BX)
	VMOVUPS      Y5, 32(BX)
	ADDQ         AX, BX
	VMOVUPS      Y6, (BX)
	VMOVUPS      Y7, 32(BX)
	VZEROUPPER
	RET

// func softmax256(x []float32, scale float32)
TEXT ·softmax256(SB), NOSPLIT, $0-28
	MOVQ         x_base+0(FP), SI
	MOVQ         x_len+8(FP), CX
	VBROADCASTSS scale+24(FP), Y7
	MOVQ         SI, DI
	MOVQ         CX, DX
	VMOVUPS      (SI), Y0

topLoop:
	VMAXPS       (DI), Y0, Y0
	ADDQ         $32, DI
	SUBQ         $8, DX
	JNZ          topLoop
	GREATEST
	VBROADCASTSS X0, Y6
	VXORPS       Y4, Y4, Y4
	VXORPS       Y5, Y5, Y5
	MOVQ         SI, DI
	MOVQ         CX, DX

expLoop:
	VMOVUPS      (DI), Y0
	VSUBPS       Y6, Y0, Y0
	VMULPS       Y7, Y0, Y0
	EXP
	VMOVUPS      Y0, (DI)
	VADDPS       Y0, Y4, Y4
	VMOVUPS      32(DI), Y0
	VSUBPS       Y6, Y0, Y0
	VMULPS       Y7, Y0, Y0
	EXP
	VMOVUPS      Y0, 32(DI)
	VADDPS       Y0, Y5, Y5
	ADDQ         $64, DI
	SUBQ         $16, DX
	JNZ          expLoop
	VMOVAPS      Y4, Y0
	VMOVAPS      Y5, Y1
	TOTAL
	VMOVSS       consts<>+256(SB), X1
	VDIVSS       X0, X1, X0
	VBROADCASTSS X0, Y1

divideLoop:
	VMULPS  (SI), Y1, Y0
	VMOVUPS Y0, (SI)
	ADDQ    $32, SI
	SUBQ    $8, CX
	JNZ     divideLoop
	VZEROUPPER
	RET

// func gelu256(x []float32)
TEXT ·gelu256(SB), NOSPLIT, $0-24
	MOVQ    x_base+0(FP), SI
	MOVQ    x_len+8(FP), CX
	VMOVUPS consts<>+256(SB), Y5
	VMOVUPS consts<>+384(SB), Y6
	VMOVUPS consts<>+416(SB), Y7

geluLoop:
	VMOVUPS (SI), Y4
	VMULPS  Y4, Y4, Y2
	VMULPS  Y6, Y2, Y2
	VADDPS  Y5, Y2, Y2
	VMULPS  Y4, Y2, Y2
	VMULPS  Y7, Y2, Y0
	EXP
	VADDPS  Y5, Y0, Y0
	VDIVPS  Y0, Y4, Y0
	VMOVUPS Y0, (SI)
	ADDQ    $32, SI
	SUBQ    $8, CX
	JNZ     geluLoop
	VZEROUPPER
	RET

// func addSum256(x, y []float32) float32
TEXT ·addSum256(SB), NOSPLIT, $0-52
	MOVQ   x_base+0(FP), SI
	MOVQ   x_len+8(FP), CX
	MOVQ   y_base+24(FP), DX
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1

addLoop:
	VMOVUPS (SI), Y2
	VMOVUPS 32(SI), Y3
	VADDPS  (DX), Y2, Y2
	VADDPS  32(DX), Y3, Y3
	VMOVUPS Y2, (SI)
	VMOVUPS Y3, 32(SI)
	VADDPS  Y2, Y0, Y0
	VADDPS  Y3, Y1, Y1
	ADDQ    $64, SI
	ADDQ    $64, DX
	SUBQ    $16, CX
	JNZ     addLoop
	TOTAL
	VMOVSS  X0, ret+48(FP)
	VZEROUPPER
	RET

// func addTerm256(sum []float32, term []int8, scale float32)
TEXT ·addTerm256(SB), NOSPLIT, $0-52
	MOVQ         sum_base+0(FP), DI
	MOVQ         sum_len+8(FP), CX
	MOVQ         term_base+24(FP), SI
	VBROADCASTSS scale+48(FP), Y4

termLoop:
	VPMOVSXBD (SI), Y0
	VPMOVSXBD 8(SI), Y1
	VCVTDQ2PS Y0, Y0
	VCVTDQ2PS Y1, Y1
	VMULPS    Y4, Y0, Y0
	VMULPS    Y4, Y1, Y1
	VADDPS    (DI), Y0, Y0
	VADDPS    32(DI), Y1, Y1
	VMOVUPS   Y0, (DI)
	VMOVUPS   Y1, 32(DI)
	ADDQ      $16, SI
	ADDQ      $64, DI
	SUBQ      $16, CX
	JNZ       termLoop
	VZEROUPPER
	RET

// func squares256(x []float32, mean float32) float32
TEXT ·squares256(SB), NOSPLIT, $0-36
	MOVQ         x_base+0(FP), SI
	MOVQ         x_len+8(FP), CX
	VBROADCASTSS mean+24(FP), Y4
	VXORPS       Y0, Y0, Y0
	VXORPS       Y1, Y1, Y1

squaresLoop:
	VMOVUPS (SI), Y2
	VMOVUPS 32(SI), Y3
	VSUBPS  Y4, Y2, Y2
	VSUBPS  Y4, Y3, Y3
	VMULPS  Y2, Y2, Y2
	VMULPS  Y3, Y3, Y3
	VADDPS  Y2, Y0, Y0
	VADDPS  Y3, Y1, Y1
	ADDQ    $64, SI
	SUBQ    $16, CX
	JNZ     squaresLoop
	TOTAL
	VMOVSS  X0, ret+32(FP)
	VZEROUPPER
	RET

// func scaleShift256(x []float32, mean, inv float32, gain, bias []float32)
TEXT ·scaleShift256(SB), NOSPLIT, $0-80
	MOVQ         x_base+0(FP), SI
	MOVQ         x_len+8(FP), CX
	VBROADCASTSS mean+24(FP), Y1
	VBROADCASTSS inv+28(FP), Y2
	MOVQ         gain_base+32(FP), R8
	MOVQ         bias_base+56(FP), R9

shiftLoop:
	VMOVUPS (SI), Y0
	VSUBPS  Y1, Y0, Y0
	VMULPS  Y2, Y0, Y0
	VMULPS  (R8), Y0, Y0
	VADDPS  (R9), Y0, Y0
	VMOVUPS Y0, (SI)
	ADDQ    $32, SI
	ADDQ    $32, R8
	ADDQ    $32, R9
	SUBQ    $8, CX
	JNZ     shiftLoop
	VZEROUPPER
	RET
