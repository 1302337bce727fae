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

// func backupAVX2(w, v, next *float64, first int, states uint64, offsets *int32, actions int, gamma float64) uint64
TEXT ·backupAVX2(SB), NOSPLIT, $0-72
	MOVQ         w+0(FP), SI
	MOVQ         v+8(FP), DI
	MOVQ         next+16(FP), DX
	MOVQ         offsets+40(FP), R8
	MOVQ         actions+48(FP), R9
	VBROADCASTSD gamma+56(FP), Y15

	// R14 = the granules to do, one bit each: the bytes of states that are not 0.
	VMOVQ     states+32(FP), X0
	VPXOR     X1, X1, X1
	VPCMPEQB  X1, X0, X0
	VPMOVMSKB X0, R14
	NOTQ      R14
	ANDQ      $0xff, R14
	XORQ      AX, AX // states that change
	TESTQ     R14, R14
	JZ        done

granule:
	TZCNTQ R14, CX
	BLSRQ  R14, R14
	SHLQ   $3, CX // states from first to here
	MOVQ   first+24(FP), BX
	ADDQ   CX, BX
	VMOVUPD 0(SI)(BX*8), Y4
	VMOVUPD 32(SI)(BX*8), Y5
	VXORPD  Y0, Y0, Y0
	VXORPD  Y1, Y1, Y1
	XORQ    R11, R11

action:
	MOVLQSX (R8)(R11*4), R12
	ADDQ    CX, R12
	Q(0, Y4, Y0)
	Q(32, Y5, Y1)
	INCQ    R11
	CMPQ    R11, R9
	JLT     action

	VMOVUPD  Y0, 0(DX)(BX*8)
	VMOVUPD  Y1, 32(DX)(BX*8)
	VPCMPEQQ 0(DI)(BX*8), Y0, Y0
	VPCMPEQQ 32(DI)(BX*8), Y1, Y1
	VMOVMSKPD Y0, R10
	VMOVMSKPD Y1, R12
	SHLQ     $4, R12
	ORQ      R12, R10
	XORQ     $0xff, R10
	SHLQ     CX, R10
	ORQ      R10, AX
	TESTQ    R14, R14
	JNZ      granule

done:
	VZEROUPPER
	MOVQ AX, ret+64(FP)
	RET
