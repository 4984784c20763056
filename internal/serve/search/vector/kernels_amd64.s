#include "textflag.h"

// func distancesPopcnt(q *signs, documents []signs, out []uint16)
TEXT ·distancesPopcnt(SB), NOSPLIT, $0-56
	MOVQ q+0(FP), SI
	MOVQ documents_base+8(FP), DI
	MOVQ documents_len+16(FP), CX
	MOVQ out_base+32(FP), BX
	MOVQ 0(SI), R8
	MOVQ 8(SI), R9
	MOVQ 16(SI), R10
	MOVQ 24(SI), R11
	MOVQ 32(SI), R12
	MOVQ 40(SI), R13

distance:
	PREFETCHT0 1536(DI)
	MOVQ       0(DI), AX
	XORQ       R8, AX
	POPCNTQ    AX, AX
	MOVQ       8(DI), DX
	XORQ       R9, DX
	POPCNTQ    DX, DX
	ADDQ       DX, AX
	MOVQ       16(DI), SI
	XORQ       R10, SI
	POPCNTQ    SI, SI
	ADDQ       SI, AX
	MOVQ       24(DI), DX
	XORQ       R11, DX
	POPCNTQ    DX, DX
	ADDQ       DX, AX
	MOVQ       32(DI), SI
	XORQ       R12, SI
	POPCNTQ    SI, SI
	ADDQ       SI, AX
	MOVQ       40(DI), DX
	XORQ       R13, DX
	POPCNTQ    DX, DX
	ADDQ       DX, AX
	MOVW       AX, (BX)
	ADDQ       $48, DI
	ADDQ       $2, BX
	DECQ       CX
	JNZ        distance
	RET

// func distancesAtPopcnt(q *signs, documents []signs, docs []uint32, out []uint16)
TEXT ·distancesAtPopcnt(SB), NOSPLIT, $0-80
	MOVQ q+0(FP), SI
	MOVQ docs_base+32(FP), R15
	MOVQ docs_len+40(FP), CX
	MOVQ out_base+56(FP), BX
	MOVQ 0(SI), R8
	MOVQ 8(SI), R9
	MOVQ 16(SI), R10
	MOVQ 24(SI), R11
	MOVQ 32(SI), R12
	MOVQ 40(SI), R13

distanceAt:
	CMPQ       CX, $12
	JLE        signsAt
	MOVL       48(R15), AX
	IMULQ      $48, AX
	ADDQ       documents_base+8(FP), AX
	PREFETCHT0 (AX)
	PREFETCHT0 47(AX)

signsAt:
	MOVL       (R15), DI
	IMULQ      $48, DI
	ADDQ       documents_base+8(FP), DI
	MOVQ       0(DI), AX
	XORQ       R8, AX
	POPCNTQ    AX, AX
	MOVQ       8(DI), DX
	XORQ       R9, DX
	POPCNTQ    DX, DX
	ADDQ       DX, AX
	MOVQ       16(DI), SI
	XORQ       R10, SI
	POPCNTQ    SI, SI
	ADDQ       SI, AX
	MOVQ       24(DI), DX
	XORQ       R11, DX
	POPCNTQ    DX, DX
	ADDQ       DX, AX
	MOVQ       32(DI), SI
	XORQ       R12, SI
	POPCNTQ    SI, SI
	ADDQ       SI, AX
	MOVQ       40(DI), DX
	XORQ       R13, DX
	POPCNTQ    DX, DX
	ADDQ       DX, AX
	MOVW       AX, (BX)
	ADDQ       $4, R15
	ADDQ       $2, BX
	DECQ       CX
	JNZ        distanceAt
	RET

// Rows lie far from each other: while one is multiplied, that of eight documents
// further on is fetched.
#define AHEAD(label) \
	CMPQ       CX, $8      \
	JLE        label       \
	MOVL       32(R9), AX  \
	IMULQ      $384, AX    \
	ADDQ       R8, AX      \
	PREFETCHT0 (AX)        \
	PREFETCHT0 64(AX)      \
	PREFETCHT0 128(AX)     \
	PREFETCHT0 192(AX)     \
	PREFETCHT0 256(AX)     \
	PREFETCHT0 320(AX)

// func dotsVNNI(q *[384]int8, rows []row, docs []uint32, out []int32)
TEXT ·dotsVNNI(SB), NOSPLIT, $0-80
	MOVQ      q+0(FP), SI
	MOVQ      rows_base+8(FP), R8
	MOVQ      docs_base+32(FP), R9
	MOVQ      docs_len+40(FP), CX
	MOVQ      out_base+56(FP), BX
	VMOVDQU32 (SI), Z10
	VMOVDQU32 64(SI), Z11
	VMOVDQU32 128(SI), Z12
	VMOVDQU32 192(SI), Z13
	VMOVDQU32 256(SI), Z14
	VMOVDQU32 320(SI), Z15

vnniDocument:
	AHEAD(vnniRow)

vnniRow:
	MOVL          (R9), DI
	IMULQ         $384, DI
	ADDQ          R8, DI
	VMOVDQU32     (DI), Z2
	VMOVDQU32     64(DI), Z3
	VMOVDQU32     128(DI), Z4
	VMOVDQU32     192(DI), Z5
	VMOVDQU32     256(DI), Z6
	VMOVDQU32     320(DI), Z7
	VPXORD        Z0, Z0, Z0
	VPXORD        Z1, Z1, Z1
	VPDPBUSD      Z10, Z2, Z0
	VPDPBUSD      Z11, Z3, Z1
	VPDPBUSD      Z12, Z4, Z0
	VPDPBUSD      Z13, Z5, Z1
	VPDPBUSD      Z14, Z6, Z0
	VPDPBUSD      Z15, Z7, Z1
	VPADDD        Z1, Z0, Z0
	VEXTRACTI32X8 $1, Z0, Y1
	VPADDD        Y1, Y0, Y0
	VEXTRACTI128  $1, Y0, X1
	VPADDD        X1, X0, X0
	VPSHUFD       $0x4E, X0, X1
	VPADDD        X1, X0, X0
	VPSHUFD       $0xB1, X0, X1
	VPADDD        X1, X0, X0
	VMOVD         X0, AX
	MOVL          AX, (BX)
	ADDQ          $4, R9
	ADDQ          $4, BX
	DECQ          CX
	JNZ           vnniDocument
	VZEROUPPER
	RET

// func dotsAVX2(q *[384]int16, rows []row, docs []uint32, out []int32)
TEXT ·dotsAVX2(SB), NOSPLIT, $0-80
	MOVQ rows_base+8(FP), R8
	MOVQ docs_base+32(FP), R9
	MOVQ docs_len+40(FP), CX
	MOVQ out_base+56(FP), BX

avxDocument:
	AHEAD(avxRow)

avxRow:
	MOVQ  q+0(FP), SI
	MOVL  (R9), DI
	IMULQ $384, DI
	ADDQ  R8, DI
	MOVQ  $12, DX
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1

avxPart:
	VPMOVZXBW    (DI), Y2
	VPMADDWD     (SI), Y2, Y2
	VPADDD       Y2, Y0, Y0
	VPMOVZXBW    16(DI), Y3
	VPMADDWD     32(SI), Y3, Y3
	VPADDD       Y3, Y1, Y1
	ADDQ         $32, DI
	ADDQ         $64, SI
	DECQ         DX
	JNZ          avxPart
	VPADDD       Y1, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0x4E, X0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0xB1, X0, X1
	VPADDD       X1, X0, X0
	VMOVD        X0, AX
	MOVL         AX, (BX)
	ADDQ         $4, R9
	ADDQ         $4, BX
	DECQ         CX
	JNZ          avxDocument
	VZEROUPPER
	RET
