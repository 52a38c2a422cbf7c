// SPDX-License-Identifier: Apache-2.0
// Calls a program between the counting markers, on its own stack and with known values in the registers it must keep.
    .syntax unified
    .thumb
    .text

// uint32_t call_measured(void (*run)(void*), void* arena): what came back changed. Bits 0 to 7: r4 to r11;
// bits 8 to 23: s16 to s31; bit 24: sp.
    .global call_measured
    .type call_measured, %function
    .thumb_func
call_measured:
    push    {r4-r7, lr}
    mov     r4, r8
    mov     r5, r9
    mov     r6, r10
    mov     r7, r11
    push    {r4-r7}
#ifdef __ARM_FP
    vpush   {d8-d15}
    ldr     r3, =0x5EED000C
    .irp    register, s16, s17, s18, s19, s20, s21, s22, s23, s24, s25, s26, s27, s28, s29, s30, s31
    vmov    \register, r3
    adds    r3, r3, #1
    .endr
#endif
    ldr     r2, =harness_stack_pointer
    mov     r3, sp
    str     r3, [r2]
    ldr     r2, =program_stack_top
    mov     sp, r2
    ldr     r7, =0x5EED000B
    mov     r11, r7
    ldr     r7, =0x5EED000A
    mov     r10, r7
    ldr     r7, =0x5EED0009
    mov     r9, r7
    ldr     r7, =0x5EED0008
    mov     r8, r7
    ldr     r7, =0x5EED0007
    ldr     r6, =0x5EED0006
    ldr     r5, =0x5EED0005
    ldr     r4, =0x5EED0004
    mov     r2, r0
    mov     r0, r1
    .inst.n 0xbf70                  // begin
    blx     r2
    .inst.n 0xbf80                  // end
    mov     r3, sp
    ldr     r2, =harness_stack_pointer
    ldr     r2, [r2]
    mov     sp, r2
    ldr     r1, =program_stack_top
    movs    r0, #0
    cmp     r3, r1
    beq     1f
    ldr     r0, =1 << 24
1:
    movs    r1, #1
    ldr     r2, =0x5EED0004         // r2 = value expected next
    .macro check register
    cmp     \register, r2
    beq     1f
    orrs    r0, r1
1:  lsls    r1, r1, #1
    adds    r2, r2, #1
    .endm
    check   r4
    check   r5
    check   r6
    check   r7
    check   r8
    check   r9
    check   r10
    check   r11
#ifdef __ARM_FP
    .irp    register, s16, s17, s18, s19, s20, s21, s22, s23, s24, s25, s26, s27, s28, s29, s30, s31
    vmov    r3, \register
    check   r3
    .endr
    vpop    {d8-d15}
#endif
    pop     {r4-r7}
    mov     r8, r4
    mov     r9, r5
    mov     r10, r6
    mov     r11, r7
    pop     {r4-r7, pc}
    .pool
    .size call_measured, . - call_measured

    .bss
    .balign 4
harness_stack_pointer:
    .space 4
