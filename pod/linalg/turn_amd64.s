#include "textflag.h"

// func turnAVX2(x, y *float64, quads int, c, s float64)
//
// Products, differences and sums are rounded one by one, as in turnSlices.
TEXT ·turnAVX2(SB), NOSPLIT, $0-40
	MOVQ         x+0(FP), SI
	MOVQ         y+8(FP), DI
	MOVQ         quads+16(FP), CX
	VBROADCASTSD c+24(FP), Y14
	VBROADCASTSD s+32(FP), Y15

quad:
	VMOVUPD (SI), Y0
	VMOVUPD (DI), Y1
	VMULPD  Y0, Y14, Y2
	VMULPD  Y1, Y15, Y3
	VMULPD  Y0, Y15, Y4
	VMULPD  Y1, Y14, Y5
	VSUBPD  Y3, Y2, Y2
	VADDPD  Y5, Y4, Y4
	VMOVUPD Y2, (SI)
	VMOVUPD Y4, (DI)
	ADDQ    $32, SI
	ADDQ    $32, DI
	DECQ    CX
	JNZ     quad

	VZEROUPPER
	RET
