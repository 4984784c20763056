#include "textflag.h"

// Kernels for AVX-512 with VNNI. No fused multiply-add: see kernels.go.

DATA consts<>+0(SB)/4, $0x3fb8aa3b  // log2 e
DATA consts<>+4(SB)/4, $0x3f318000  // ln 2, high part
DATA consts<>+8(SB)/4, $0xb95e8083  // ln 2, low part
DATA consts<>+12(SB)/4, $0x3ab743ce // the polynomial, from the sixth power
DATA consts<>+16(SB)/4, $0x3c088908
DATA consts<>+20(SB)/4, $0x3d2aa9c1
DATA consts<>+24(SB)/4, $0x3e2aaaaa
DATA consts<>+28(SB)/4, $0x3f000000
DATA consts<>+32(SB)/4, $0x3f800000 // 1
DATA consts<>+36(SB)/4, $0xc2aeac4a // least and
DATA consts<>+40(SB)/4, $0x42ae0000 // greatest argument
DATA consts<>+44(SB)/4, $127
DATA consts<>+48(SB)/4, $0x3d372713 // 0.044715
DATA consts<>+52(SB)/4, $0xbfcc422a // -1.5957691216
DATA consts<>+56(SB)/4, $0x7fffffff
GLOBL consts<>(SB), RODATA, $60

#define EXPCONSTS \
	VBROADCASTSS consts<>+0(SB), Z16  \
	VBROADCASTSS consts<>+4(SB), Z17  \
	VBROADCASTSS consts<>+8(SB), Z18  \
	VBROADCASTSS consts<>+12(SB), Z19 \
	VBROADCASTSS consts<>+16(SB), Z20 \
	VBROADCASTSS consts<>+20(SB), Z21 \
	VBROADCASTSS consts<>+24(SB), Z22 \
	VBROADCASTSS consts<>+28(SB), Z23 \
	VBROADCASTSS consts<>+32(SB), Z24 \
	VBROADCASTSS consts<>+36(SB), Z25 \
	VBROADCASTSS consts<>+40(SB), Z26 \
	VBROADCASTSS consts<>+44(SB), Z27

// Z0 = exp(Z0); takes Z10, Z11, Z12
#define EXP \
	VMAXPS    Z25, Z0, Z0   \
	VMINPS    Z26, Z0, Z0   \
	VMULPS    Z16, Z0, Z10  \
	VCVTPS2DQ Z10, Z10      \
	VCVTDQ2PS Z10, Z11      \
	VMULPS    Z17, Z11, Z12 \
	VSUBPS    Z12, Z0, Z0   \
	VMULPS    Z18, Z11, Z12 \
	VSUBPS    Z12, Z0, Z0   \
	VMULPS    Z19, Z0, Z11  \
	VADDPS    Z20, Z11, Z11 \
	VMULPS    Z0, Z11, Z11  \
	VADDPS    Z21, Z11, Z11 \
	VMULPS    Z0, Z11, Z11  \
	VADDPS    Z22, Z11, Z11 \
	VMULPS    Z0, Z11, Z11  \
	VADDPS    Z23, Z11, Z11 \
	VMULPS    Z0, Z11, Z11  \
	VADDPS    Z24, Z11, Z11 \
	VMULPS    Z0, Z11, Z11  \
	VADDPS    Z24, Z11, Z11 \
	VPADDD    Z27, Z10, Z10 \
	VPSLLD    $23, Z10, Z10 \
	VMULPS    Z10, Z11, Z0

// X0 = sum of the lanes of Z0, folded in halves; takes X1
#define TOTAL \
	VEXTRACTF32X8 $1, Z0, Y1    \
	VADDPS        Y1, Y0, Y0    \
	VEXTRACTF128  $1, Y0, X1    \
	VADDPS        X1, X0, X0    \
	VPSHUFD       $0x4E, X0, X1 \
	VADDPS        X1, X0, X0    \
	VPSHUFD       $0xB1, X0, X1 \
	VADDPS        X1, X0, X0

// X0 = greatest lane of Z0; takes X1
#define GREATEST \
	VEXTRACTF32X8 $1, Z0, Y1    \
	VMAXPS        Y1, Y0, Y0    \
	VEXTRACTF128  $1, Y0, X1    \
	VMAXPS        X1, X0, X0    \
	VPSHUFD       $0x4E, X0, X1 \
	VMAXPS        X1, X0, X0    \
	VPSHUFD       $0xB1, X0, X1 \
	VMAXPS        X1, X0, X0

// func absMax512(x []float32) float32
TEXT ·absMax512(SB), NOSPLIT, $0-28
	MOVQ         x_base+0(FP), SI
	MOVQ         x_len+8(FP), CX
	VBROADCASTSS consts<>+56(SB), Z3
	VPXORD       Z0, Z0, Z0

absLoop:
	VPANDD (SI), Z3, Z2
	VMAXPS Z2, Z0, Z0
	ADDQ   $64, SI
	SUBQ   $16, CX
	JNZ    absLoop
	GREATEST
	VMOVSS X0, ret+24(FP)
	VZEROUPPER
	RET

// func quantize512(q []int8, x []float32, inv float32) int32
TEXT ·quantize512(SB), NOSPLIT, $0-60
	MOVQ         q_base+0(FP), DI
	MOVQ         x_base+24(FP), SI
	MOVQ         x_len+32(FP), CX
	VBROADCASTSS inv+48(FP), Z1
	VPXORD       Z0, Z0, Z0

quantizeLoop:
	VMULPS    (SI), Z1, Z2
	VCVTPS2DQ Z2, Z2
	VPADDD    Z2, Z0, Z0
	VPMOVSDB  Z2, (DI)
	ADDQ      $64, SI
	ADDQ      $16, DI
	SUBQ      $16, CX
	JNZ       quantizeLoop
	VEXTRACTI32X8 $1, Z0, Y1
	VPADDD        Y1, Y0, Y0
	VEXTRACTI128  $1, Y0, X1
	VPADDD        X1, X0, X0
	VPSHUFD       $0x4E, X0, X1
	VPADDD        X1, X0, X0
	VPSHUFD       $0xB1, X0, X1
	VPADDD        X1, X0, X0
	VMOVD         X0, AX
	MOVL          AX, ret+56(FP)
	VZEROUPPER
	RET

// func mul512(acc []int32, q []int8, k int, w []uint8)
TEXT ·mul512(SB), NOSPLIT, $0-80
	MOVQ acc_base+0(FP), BX
	MOVQ q_base+24(FP), SI
	MOVQ k+48(FP), DX
	MOVQ w_base+56(FP), DI
	MOVQ DX, CX
	SHRQ $2, CX
	LEAQ (SI)(DX*4), R8
	LEAQ (DX)(DX*2), R9
	VPXORD Z0, Z0, Z0
	VPXORD Z1, Z1, Z1
	VPXORD Z2, Z2, Z2
	VPXORD Z3, Z3, Z3
	VPXORD Z4, Z4, Z4
	VPXORD Z5, Z5, Z5
	VPXORD Z6, Z6, Z6
	VPXORD Z7, Z7, Z7
	VPXORD Z8, Z8, Z8
	VPXORD Z9, Z9, Z9
	VPXORD Z10, Z10, Z10
	VPXORD Z11, Z11, Z11
	VPXORD Z12, Z12, Z12
	VPXORD Z13, Z13, Z13
	VPXORD Z14, Z14, Z14
	VPXORD Z15, Z15, Z15
	VPXORD Z16, Z16, Z16
	VPXORD Z17, Z17, Z17
	VPXORD Z18, Z18, Z18
	VPXORD Z19, Z19, Z19
	VPXORD Z20, Z20, Z20
	VPXORD Z21, Z21, Z21
	VPXORD Z22, Z22, Z22
	VPXORD Z23, Z23, Z23

mulLoop:
	VMOVDQU32    (DI), Z24
	VMOVDQU32    64(DI), Z25
	VMOVDQU32    128(DI), Z26
	PREFETCHT0   1536(DI)
	PREFETCHT0   1600(DI)
	PREFETCHT0   1664(DI)
	ADDQ         $192, DI
	VPBROADCASTD (SI), Z27
	VPDPBUSD     Z27, Z24, Z0
	VPDPBUSD     Z27, Z25, Z1
	VPDPBUSD     Z27, Z26, Z2
	VPBROADCASTD (SI)(DX*1), Z28
	VPDPBUSD     Z28, Z24, Z3
	VPDPBUSD     Z28, Z25, Z4
	VPDPBUSD     Z28, Z26, Z5
	VPBROADCASTD (SI)(DX*2), Z29
	VPDPBUSD     Z29, Z24, Z6
	VPDPBUSD     Z29, Z25, Z7
	VPDPBUSD     Z29, Z26, Z8
	VPBROADCASTD (SI)(R9*1), Z30
	VPDPBUSD     Z30, Z24, Z9
	VPDPBUSD     Z30, Z25, Z10
	VPDPBUSD     Z30, Z26, Z11
	VPBROADCASTD (R8), Z27
	VPDPBUSD     Z27, Z24, Z12
	VPDPBUSD     Z27, Z25, Z13
	VPDPBUSD     Z27, Z26, Z14
	VPBROADCASTD (R8)(DX*1), Z28
	VPDPBUSD     Z28, Z24, Z15
	VPDPBUSD     Z28, Z25, Z16
	VPDPBUSD     Z28, Z26, Z17
	VPBROADCASTD (R8)(DX*2), Z29
	VPDPBUSD     Z29, Z24, Z18
	VPDPBUSD     Z29, Z25, Z19
	VPDPBUSD     Z29, Z26, Z20
	VPBROADCASTD (R8)(R9*1), Z30
	VPDPBUSD     Z30, Z24, Z21
	VPDPBUSD     Z30, Z25, Z22
	VPDPBUSD     Z30, Z26, Z23
	ADDQ         $4, SI
	ADDQ         $4, R8
	DECQ         CX
	JNZ          mulLoop
	VMOVDQU32    Z0, 0(BX)
	VMOVDQU32    Z1, 64(BX)
	VMOVDQU32    Z2, 128(BX)
	VMOVDQU32    Z3, 192(BX)
	VMOVDQU32    Z4, 256(BX)
	VMOVDQU32    Z5, 320(BX)
	VMOVDQU32    Z6, 384(BX)
	VMOVDQU32    Z7, 448(BX)
	VMOVDQU32    Z8, 512(BX)
	VMOVDQU32    Z9, 576(BX)
	VMOVDQU32    Z10, 640(BX)
	VMOVDQU32    Z11, 704(BX)
	VMOVDQU32    Z12, 768(BX)
	VMOVDQU32    Z13, 832(BX)
	VMOVDQU32    Z14, 896(BX)
	VMOVDQU32    Z15, 960(BX)
	VMOVDQU32    Z16, 1024(BX)
	VMOVDQU32    Z17, 1088(BX)
	VMOVDQU32    Z18, 1152(BX)
	VMOVDQU32    Z19, 1216(BX)
	VMOVDQU32    Z20, 1280(BX)
	VMOVDQU32    Z21, 1344(BX)
	VMOVDQU32    Z22, 1408(BX)
	VMOVDQU32    Z23, 1472(BX)
	VZEROUPPER
	RET

// func dequantize512(out []float32, acc []int32, offset int32, scale float32, weight, bias []float32)
TEXT ·dequantize512(SB), NOSPLIT, $0-104
	MOVQ         out_base+0(FP), DI
	MOVQ         acc_base+24(FP), SI
	MOVL         offset+48(FP), AX
	VMOVD        AX, X0
	VPBROADCASTD X0, Z0
	VBROADCASTSS scale+52(FP), Z1
	MOVQ         weight_base+56(FP), R8
	MOVQ         bias_base+80(FP), R9
	VMOVDQU32    (SI), Z2
	VMOVDQU32    64(SI), Z3
	VMOVDQU32    128(SI), Z4
	VPSUBD       Z0, Z2, Z2
	VPSUBD       Z0, Z3, Z3
	VPSUBD       Z0, Z4, Z4
	VCVTDQ2PS    Z2, Z2
	VCVTDQ2PS    Z3, Z3
	VCVTDQ2PS    Z4, Z4
	VMULPS       (R8), Z1, Z5
	VMULPS       64(R8), Z1, Z6
	VMULPS       128(R8), Z1, Z7
	VMULPS       Z5, Z2, Z2
	VMULPS       Z6, Z3, Z3
	VMULPS       Z7, Z4, Z4
	VADDPS       (R9), Z2, Z2
	VADDPS       64(R9), Z3, Z3
	VADDPS       128(R9), Z4, Z4
	VMOVUPS      Z2, (DI)
	VMOVUPS      Z3, 64(DI)
	VMOVUPS      Z4, 128(DI)
	VZEROUPPER
	RET

// func rows512(c []float32, ldc int, a []float32, lda int, b []float32, ldb, n int)
TEXT ·rows512(SB), NOSPLIT, $0-104
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
	VPXORD Z0, Z0, Z0
	VPXORD Z1, Z1, Z1
	VPXORD Z2, Z2, Z2
	VPXORD Z3, Z3, Z3

rowsLoop:
	VMOVUPS     (DI), Z4
	VMULPS.BCST (SI), Z4, Z5
	VMULPS.BCST (SI)(DX*1), Z4, Z6
	VMULPS.BCST (SI)(DX*2), Z4, Z7
	VMULPS.BCST (SI)(R9*1), Z4, Z8
	VADDPS      Z5, Z0, Z0
	VADDPS      Z6, Z1, Z1
	VADDPS      Z7, Z2, Z2
	VADDPS      Z8, Z3, Z3
	ADDQ        R8, DI
	ADDQ        $4, SI
	DECQ        CX
	JNZ         rowsLoop
	VMOVUPS     Z0, (BX)
	VMOVUPS     Z1, (BX)(AX*1)
	VMOVUPS     Z2, (BX)(AX*2)
	LEAQ        (AX)(AX*2), AX
	VMOVUPS     Z3, (BX)(AX*1)
	VZEROUPPER
	RET

// func softmax512(x []float32, scale float32)
TEXT ·softmax512(SB), NOSPLIT, $0-28
	MOVQ         x_base+0(FP), SI
	MOVQ         x_len+8(FP), CX
	VBROADCASTSS scale+24(FP), Z15
	MOVQ         SI, DI
	MOVQ         CX, DX
	VMOVUPS      (SI), Z0

topLoop:
	VMAXPS       (DI), Z0, Z0
	ADDQ         $64, DI
	SUBQ         $16, DX
	JNZ          topLoop
	GREATEST
	VBROADCASTSS X0, Z14
	EXPCONSTS
	VPXORD       Z13, Z13, Z13
	MOVQ         SI, DI
	MOVQ         CX, DX

expLoop:
	VMOVUPS      (DI), Z0
	VSUBPS       Z14, Z0, Z0
	VMULPS       Z15, Z0, Z0
	EXP
	VMOVUPS      Z0, (DI)
	VADDPS       Z0, Z13, Z13
	ADDQ         $64, DI
	SUBQ         $16, DX
	JNZ          expLoop
	VMOVAPS      Z13, Z0
	TOTAL
	VMOVSS       consts<>+32(SB), X1
	VDIVSS       X0, X1, X0
	VBROADCASTSS X0, Z1

divideLoop:
	VMULPS  (SI), Z1, Z0
	VMOVUPS Z0, (SI)
	ADDQ    $64, SI
	SUBQ    $16, CX
	JNZ     divideLoop
	VZEROUPPER
	RET

// func gelu512(x []float32)
TEXT ·gelu512(SB), NOSPLIT, $0-24
	MOVQ         x_base+0(FP), SI
	MOVQ         x_len+8(FP), CX
	EXPCONSTS
	VBROADCASTSS consts<>+48(SB), Z14
	VBROADCASTSS consts<>+52(SB), Z15

geluLoop:
	VMOVUPS (SI), Z1
	VMULPS  Z1, Z1, Z2
	VMULPS  Z14, Z2, Z2
	VADDPS  Z24, Z2, Z2
	VMULPS  Z1, Z2, Z2
	VMULPS  Z15, Z2, Z0
	EXP
	VADDPS  Z24, Z0, Z0
	VDIVPS  Z0, Z1, Z0
	VMOVUPS Z0, (SI)
	ADDQ    $64, SI
	SUBQ    $16, CX
	JNZ     geluLoop
	VZEROUPPER
	RET

// func addSum512(x, y []float32) float32
TEXT ·addSum512(SB), NOSPLIT, $0-52
	MOVQ   x_base+0(FP), SI
	MOVQ   x_len+8(FP), CX
	MOVQ   y_base+24(FP), DX
	VPXORD Z0, Z0, Z0

addLoop:
	VMOVUPS (SI), Z2
	VADDPS  (DX), Z2, Z2
	VMOVUPS Z2, (SI)
	VADDPS  Z2, Z0, Z0
	ADDQ    $64, SI
	ADDQ    $64, DX
	SUBQ    $16, CX
	JNZ     addLoop
	TOTAL
	VMOVSS  X0, ret+48(FP)
	VZEROUPPER
	RET

// func squares512(x []float32, mean float32) float32
TEXT ·squares512(SB), NOSPLIT, $0-36
	MOVQ         x_base+0(FP), SI
	MOVQ         x_len+8(FP), CX
	VBROADCASTSS mean+24(FP), Z3
	VPXORD       Z0, Z0, Z0

squaresLoop:
	VMOVUPS (SI), Z2
	VSUBPS  Z3, Z2, Z2
	VMULPS  Z2, Z2, Z2
	VADDPS  Z2, Z0, Z0
	ADDQ    $64, SI
	SUBQ    $16, CX
	JNZ     squaresLoop
	TOTAL
	VMOVSS  X0, ret+32(FP)
	VZEROUPPER
	RET

// func scaleShift512(x []float32, mean, inv float32, gain, bias []float32)
TEXT ·scaleShift512(SB), NOSPLIT, $0-80
	MOVQ         x_base+0(FP), SI
	MOVQ         x_len+8(FP), CX
	VBROADCASTSS mean+24(FP), Z1
	VBROADCASTSS inv+28(FP), Z2
	MOVQ         gain_base+32(FP), R8
	MOVQ         bias_base+56(FP), R9

shiftLoop:
	VMOVUPS (SI), Z0
	VSUBPS  Z1, Z0, Z0
	VMULPS  Z2, Z0, Z0
	VMULPS  (R8), Z0, Z0
	VADDPS  (R9), Z0, Z0
	VMOVUPS Z0, (SI)
	ADDQ    $64, SI
	ADDQ    $64, R8
	ADDQ    $64, R9
	SUBQ    $16, CX
	JNZ     shiftLoop
	VZEROUPPER
	RET
