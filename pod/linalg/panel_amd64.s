#include "textflag.h"

// Products, differences and sums are rounded one by one, in the order of the plain kernels.

// REFLECT subtracts Y12 times four factors from four numbers of a panel's row, and adds what they become, times Y13, to
// four sums.
#define REFLECT(offset, factors, sums) \
	VMOVUPD offset(DI), Y14     \
	VMULPD  factors, Y12, Y15   \
	VSUBPD  Y15, Y14, Y14       \
	VMOVUPD Y14, offset(DI)     \
	VMULPD  Y14, Y13, Y15       \
	VADDPD  Y15, sums, sums

// func reflectPanelAVX2(p *[panelWidth]float64, rows int, x *float64, factors *[panelWidth]float64, y *float64,
//	sums *[panelWidth]float64)
TEXT ·reflectPanelAVX2(SB), NOSPLIT, $0-48
	MOVQ    p+0(FP), DI
	MOVQ    rows+8(FP), CX
	MOVQ    x+16(FP), SI
	MOVQ    factors+24(FP), R8
	MOVQ    y+32(FP), DX
	MOVQ    sums+40(FP), R9
	VMOVUPD 0(R8), Y0
	VMOVUPD 32(R8), Y1
	VMOVUPD 64(R8), Y2
	VMOVUPD 96(R8), Y3
	VMOVUPD 0(R9), Y4
	VMOVUPD 32(R9), Y5
	VMOVUPD 64(R9), Y6
	VMOVUPD 96(R9), Y7

row:
	VBROADCASTSD (SI), Y12
	VBROADCASTSD (DX), Y13
	REFLECT(0, Y0, Y4)
	REFLECT(32, Y1, Y5)
	REFLECT(64, Y2, Y6)
	REFLECT(96, Y3, Y7)
	ADDQ         $8, SI
	ADDQ         $8, DX
	ADDQ         $128, DI
	DECQ         CX
	JNZ          row

	VMOVUPD Y4, 0(R9)
	VMOVUPD Y5, 32(R9)
	VMOVUPD Y6, 64(R9)
	VMOVUPD Y7, 96(R9)
	VZEROUPPER
	RET

// ADD adds four numbers of a panel's row, times Y13, to four sums.
#define ADD(offset, sums) \
	VMULPD offset(DI), Y13, Y15 \
	VADDPD Y15, sums, sums

// func addProductsAVX2(p *[panelWidth]float64, rows int, y *float64, sums *[panelWidth]float64)
TEXT ·addProductsAVX2(SB), NOSPLIT, $0-32
	MOVQ    p+0(FP), DI
	MOVQ    rows+8(FP), CX
	MOVQ    y+16(FP), DX
	MOVQ    sums+24(FP), R9
	VMOVUPD 0(R9), Y4
	VMOVUPD 32(R9), Y5
	VMOVUPD 64(R9), Y6
	VMOVUPD 96(R9), Y7

row:
	VBROADCASTSD (DX), Y13
	ADD(0, Y4)
	ADD(32, Y5)
	ADD(64, Y6)
	ADD(96, Y7)
	ADDQ         $8, DX
	ADDQ         $128, DI
	DECQ         CX
	JNZ          row

	VMOVUPD Y4, 0(R9)
	VMOVUPD Y5, 32(R9)
	VMOVUPD Y6, 64(R9)
	VMOVUPD Y7, 96(R9)
	VZEROUPPER
	RET

// TURN rotates four numbers of a panel's row with those of the row below, which are in low. It stores the latter and
// leaves the former in low.
#define TURN(offset, low) \
	VMOVUPD offset(DI), Y8       \
	VMULPD  Y8, Y14, Y9          \
	VMULPD  low, Y15, Y10        \
	VMULPD  Y8, Y15, Y11         \
	VMULPD  low, Y14, Y12        \
	VSUBPD  Y10, Y9, low         \
	VADDPD  Y12, Y11, Y11        \
	VMOVUPD Y11, 128+offset(DI)

// func turnChainAVX2(last *[panelWidth]float64, chain *neighbourRotation, count int)
TEXT ·turnChainAVX2(SB), NOSPLIT, $0-24
	MOVQ    last+0(FP), DI
	MOVQ    chain+8(FP), SI
	MOVQ    count+16(FP), CX
	VMOVUPD 0(DI), Y0
	VMOVUPD 32(DI), Y1
	VMOVUPD 64(DI), Y2
	VMOVUPD 96(DI), Y3

rotation:
	VBROADCASTSD 8(SI), Y14
	VBROADCASTSD 16(SI), Y15
	SUBQ         $128, DI
	TURN(0, Y0)
	TURN(32, Y1)
	TURN(64, Y2)
	TURN(96, Y3)
	ADDQ         $24, SI
	DECQ         CX
	JNZ          rotation

	VMOVUPD Y0, 0(DI)
	VMOVUPD Y1, 32(DI)
	VMOVUPD Y2, 64(DI)
	VMOVUPD Y3, 96(DI)
	VZEROUPPER
	RET

// UPDATE subtracts first·w + second·v from four numbers of a row, and adds what they become, times a factor, to Y10.
#define UPDATE(row, first, second, factor) \
	VMULPD       Y8, first, Y12   \
	VMULPD       Y9, second, Y13  \
	VADDPD       Y13, Y12, Y12    \
	VMOVUPD      (row)(BX*1), Y11 \
	VSUBPD       Y12, Y11, Y11    \
	VMOVUPD      Y11, (row)(BX*1) \
	VBROADCASTSD factor(AX), Y14  \
	VMULPD       Y11, Y14, Y14    \
	VADDPD       Y14, Y10, Y10

// func updateAVX2(r0, r1, r2, r3, w, v, out *float64, quads int, by *rowFactors)
TEXT ·updateAVX2(SB), NOSPLIT, $0-72
	MOVQ         r0+0(FP), R8
	MOVQ         r1+8(FP), R9
	MOVQ         r2+16(FP), R10
	MOVQ         r3+24(FP), R11
	MOVQ         w+32(FP), SI
	MOVQ         v+40(FP), DI
	MOVQ         out+48(FP), DX
	MOVQ         quads+56(FP), CX
	MOVQ         by+64(FP), AX
	VBROADCASTSD 0(AX), Y0
	VBROADCASTSD 8(AX), Y1
	VBROADCASTSD 16(AX), Y2
	VBROADCASTSD 24(AX), Y3
	VBROADCASTSD 32(AX), Y4
	VBROADCASTSD 40(AX), Y5
	VBROADCASTSD 48(AX), Y6
	VBROADCASTSD 56(AX), Y7
	XORQ         BX, BX

quad:
	VMOVUPD (SI)(BX*1), Y8
	VMOVUPD (DI)(BX*1), Y9
	VMOVUPD (DX)(BX*1), Y10
	UPDATE(R8, Y0, Y4, 64)
	UPDATE(R9, Y1, Y5, 72)
	UPDATE(R10, Y2, Y6, 80)
	UPDATE(R11, Y3, Y7, 88)
	VMOVUPD Y10, (DX)(BX*1)
	ADDQ    $32, BX
	DECQ    CX
	JNZ     quad

	VZEROUPPER
	RET
