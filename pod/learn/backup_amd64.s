#include "textflag.h"

// q is one more action's backup of four states: the successors' w and v at R12,
// the states' own w in here, the best so far in best. Products and sums are rounded
// one by one, and of two zeros VMAXPD takes the best so far, which is never −0.
#define Q(offset, here, best) \
	VMOVUPD offset(SI)(R12*8), Y8 \
	VSUBPD  here, Y8, Y8          \
	VMULPD  offset(DI)(R12*8), Y15, Y9 \
	VADDPD  Y9, Y8, Y8            \
	VMAXPD  best, Y8, best

// func backupAVX2(w, v, next *float64, first int, lines *byte, count int, offsets *int32, actions int, gamma float64,
//	changed *uint64)
TEXT ·backupAVX2(SB), NOSPLIT, $0-80
	MOVQ         w+0(FP), SI
	MOVQ         v+8(FP), DI
	MOVQ         next+16(FP), DX
	MOVQ         lines+32(FP), R13
	MOVQ         count+40(FP), R14
	MOVQ         offsets+48(FP), R8
	MOVQ         actions+56(FP), R9
	VBROADCASTSD gamma+64(FP), Y15
	MOVQ         changed+72(FP), AX

line:
	MOVWLZX (R13), BX
	ADDQ    first+24(FP), BX
	MOVL    BX, CX
	ANDL    $7, CX
	SHLL    $3, CX // states from the block's first to the line
	MOVL    BX, R10
	SHRL    $3, R10
	IMULQ   R9, R10
	LEAQ    (R8)(R10*4), R10 // the block's offsets
	SHLQ    $3, BX // the line's first state
	VMOVUPD 0(SI)(BX*8), Y4
	VMOVUPD 32(SI)(BX*8), Y5
	VXORPD  Y0, Y0, Y0
	VXORPD  Y1, Y1, Y1
	XORQ    R11, R11

action:
	MOVLQSX (R10)(R11*4), R12
	ADDQ    CX, R12
	Q(0, Y4, Y0)
	Q(32, Y5, Y1)
	INCQ    R11
	CMPQ    R11, R9
	JLT     action

	VMOVUPD   Y0, 0(DX)(BX*8)
	VMOVUPD   Y1, 32(DX)(BX*8)
	VPCMPEQQ  0(DI)(BX*8), Y0, Y0
	VPCMPEQQ  32(DI)(BX*8), Y1, Y1
	VMOVMSKPD Y0, R10
	VMOVMSKPD Y1, R12
	SHLQ      $4, R12
	ORQ       R12, R10
	XORQ      $0xff, R10
	SHRQ      $3, BX
	MOVB      R10, (AX)(BX*1)
	ADDQ      $2, R13
	DECQ      R14
	JNZ       line

	VZEROUPPER
	RET
