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

// STORE writes four values and shifts which of them are what they were into AX.
#define STORE(offset, best) \
	VMOVUPD   best, offset(DX)(BX*8)  \
	VPCMPEQQ  offset(DI)(BX*8), best, Y9 \
	VMOVMSKPD Y9, R13                 \
	SHRQ      $4, AX                  \
	SHLQ      $60, R13                \
	ORQ       R13, AX

// func backupAVX2(w, v, next *float64, first int, places *int32, actions int, gamma float64) uint64
TEXT ·backupAVX2(SB), NOSPLIT, $0-64
	MOVQ         w+0(FP), SI
	MOVQ         v+8(FP), DI
	MOVQ         next+16(FP), DX
	MOVQ         first+24(FP), BX
	MOVQ         places+32(FP), R8
	MOVQ         actions+40(FP), R9
	VBROADCASTSD gamma+48(FP), Y15
	XORQ         AX, AX
	XORQ         R10, R10 // states done

sixteen:
	VMOVUPD 0(SI)(BX*8), Y4
	VMOVUPD 32(SI)(BX*8), Y5
	VMOVUPD 64(SI)(BX*8), Y6
	VMOVUPD 96(SI)(BX*8), Y7
	VXORPD  Y0, Y0, Y0
	VXORPD  Y1, Y1, Y1
	VXORPD  Y2, Y2, Y2
	VXORPD  Y3, Y3, Y3
	XORQ    R11, R11

action:
	MOVLQSX (R8)(R11*4), R12
	ADDQ    R10, R12
	Q(0, Y4, Y0)
	Q(32, Y5, Y1)
	Q(64, Y6, Y2)
	Q(96, Y7, Y3)
	INCQ    R11
	CMPQ    R11, R9
	JLT     action

	STORE(0, Y0)
	STORE(32, Y1)
	STORE(64, Y2)
	STORE(96, Y3)
	ADDQ $16, BX
	ADDQ $16, R10
	CMPQ R10, $64
	JLT  sixteen

	VZEROUPPER
	NOTQ AX
	MOVQ AX, ret+56(FP)
	RET
