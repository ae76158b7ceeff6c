//! SIMD vector types of the processors.

pub mod x86 {
    #[repr(simd)]
    pub struct __m128([f32; 4]);
    #[repr(simd)]
    pub struct __m128d([f64; 2]);
    #[repr(simd)]
    pub struct __m128i([i64; 2]);
    #[repr(simd)]
    pub struct __m128h([u16; 8]);
    #[repr(simd)]
    pub struct __m128bh([u16; 8]);
    #[repr(simd)]
    pub struct __m256([f32; 8]);
    #[repr(simd)]
    pub struct __m256d([f64; 4]);
    #[repr(simd)]
    pub struct __m256i([i64; 4]);
    #[repr(simd)]
    pub struct __m256h([u16; 16]);
    #[repr(simd)]
    pub struct __m256bh([u16; 16]);
    #[repr(simd)]
    pub struct __m512([f32; 16]);
    #[repr(simd)]
    pub struct __m512d([f64; 8]);
    #[repr(simd)]
    pub struct __m512i([i64; 8]);
    #[repr(simd)]
    pub struct __m512h([u16; 32]);
    #[repr(simd)]
    pub struct __m512bh([u16; 32]);
    pub type __mmask8 = u8;
    pub type __mmask16 = u16;
    pub type __mmask32 = u32;
    pub type __mmask64 = u64;
    pub struct CpuidResult { pub eax: u32, pub ebx: u32, pub ecx: u32, pub edx: u32 }
}

pub mod x86_64 {
    pub use super::x86::*;
}

pub mod wasm32 {
    #[repr(simd)]
    pub struct v128([i32; 4]);
}

pub mod aarch64 {
    macro_rules! vectors {
        ($($name:ident: [$element:ty; $lanes:literal])*) => { $(
            #[repr(simd)]
            pub struct $name([$element; $lanes]);
        )* };
    }

    vectors! {
        int8x8_t: [i8; 8] int8x16_t: [i8; 16] int16x4_t: [i16; 4] int16x8_t: [i16; 8]
        int32x2_t: [i32; 2] int32x4_t: [i32; 4] int64x1_t: [i64; 1] int64x2_t: [i64; 2]
        uint8x8_t: [u8; 8] uint8x16_t: [u8; 16] uint16x4_t: [u16; 4] uint16x8_t: [u16; 8]
        uint32x2_t: [u32; 2] uint32x4_t: [u32; 4] uint64x1_t: [u64; 1] uint64x2_t: [u64; 2]
        float32x2_t: [f32; 2] float32x4_t: [f32; 4] float64x1_t: [f64; 1] float64x2_t: [f64; 2]
        poly8x8_t: [u8; 8] poly8x16_t: [u8; 16] poly16x4_t: [u16; 4] poly16x8_t: [u16; 8]
        poly64x1_t: [u64; 1] poly64x2_t: [u64; 2]
    }
}
