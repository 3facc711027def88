;; How many bits of codes differ from those of a query. `node scripts/build-wasm.ts` makes hamming-wasm.ts of this file;
;; js-kernel.ts says the same in JavaScript.
(module
  (memory (export "memory") 1 65536)

  ;; Writes the distance of each code (16 bits) and counts the distances: histogram[distance] (32 bits) grows by one.
  ;; A code has `blocks` times 16 bytes, at most 4,095 of them.
  (func (export "measure")
    (param $codes i32) (param $count i32) (param $blocks i32) (param $query i32)
    (param $distances i32) (param $histogram i32)
    (local $end i32) (local $queryEnd i32) (local $part i32) (local $counter i32) (local $distance i32)
    (local $counts v128) (local $sums v128)
    (local.set $end (i32.add (local.get $distances) (i32.shl (local.get $count) (i32.const 1))))
    (local.set $queryEnd (i32.add (local.get $query) (i32.shl (local.get $blocks) (i32.const 4))))
    (block $done
      (loop $codes
        (br_if $done (i32.ge_u (local.get $distances) (local.get $end)))
        (local.set $counts (v128.const i32x4 0 0 0 0))
        (local.set $sums (v128.const i32x4 0 0 0 0))
        (local.set $part (local.get $query))
        (loop $parts
          (local.set $counts
            (i8x16.add (local.get $counts)
              (i8x16.popcnt (v128.xor (v128.load (local.get $codes)) (v128.load (local.get $part))))))
          (local.set $codes (i32.add (local.get $codes) (i32.const 16)))
          (local.set $part (i32.add (local.get $part) (i32.const 16)))
          ;; Counts of eight bits hold 31 parts.
          (if (i32.eqz (i32.and (local.get $part) (i32.const 255)))
            (then
              (local.set $sums
                (i16x8.add (local.get $sums) (i16x8.extadd_pairwise_i8x16_u (local.get $counts))))
              (local.set $counts (v128.const i32x4 0 0 0 0))))
          (br_if $parts (i32.lt_u (local.get $part) (local.get $queryEnd))))
        (local.set $sums
          (i32x4.extadd_pairwise_i16x8_u
            (i16x8.add (local.get $sums) (i16x8.extadd_pairwise_i8x16_u (local.get $counts)))))
        (local.set $distance
          (i32.add
            (i32.add (i32x4.extract_lane 0 (local.get $sums)) (i32x4.extract_lane 1 (local.get $sums)))
            (i32.add (i32x4.extract_lane 2 (local.get $sums)) (i32x4.extract_lane 3 (local.get $sums)))))
        (i32.store16 (local.get $distances) (local.get $distance))
        (local.set $counter (i32.add (local.get $histogram) (i32.shl (local.get $distance) (i32.const 2))))
        (i32.store (local.get $counter) (i32.add (i32.load (local.get $counter)) (i32.const 1)))
        (local.set $distances (i32.add (local.get $distances) (i32.const 2)))
        (br $codes))))

  ;; Writes the slots (16 bits) of the distances from `least` to `most`, in their order, and gives how many there are.
  ;; Reads up to seven distances past the last.
  (func (export "collect")
    (param $distances i32) (param $count i32) (param $least i32) (param $most i32) (param $found i32)
    (result i32)
    (local $slot i32) (local $next i32) (local $bits i32) (local $lows v128) (local $highs v128) (local $eight v128)
    (local.set $next (local.get $found))
    (local.set $lows (i16x8.splat (local.get $least)))
    (local.set $highs (i16x8.splat (local.get $most)))
    (block $done
      (loop $eights
        (br_if $done (i32.ge_u (local.get $slot) (local.get $count)))
        (local.set $eight (v128.load (i32.add (local.get $distances) (i32.shl (local.get $slot) (i32.const 1)))))
        (local.set $bits
          (i16x8.bitmask
            (v128.and
              (i16x8.ge_u (local.get $eight) (local.get $lows))
              (i16x8.le_u (local.get $eight) (local.get $highs)))))
        ;; Past the last: none of these.
        (if (i32.gt_u (i32.add (local.get $slot) (i32.const 8)) (local.get $count))
          (then
            (local.set $bits
              (i32.and (local.get $bits)
                (i32.sub
                  (i32.shl (i32.const 1) (i32.sub (local.get $count) (local.get $slot)))
                  (i32.const 1))))))
        (block $none
          (loop $each
            (br_if $none (i32.eqz (local.get $bits)))
            (i32.store16 (local.get $next) (i32.add (local.get $slot) (i32.ctz (local.get $bits))))
            (local.set $next (i32.add (local.get $next) (i32.const 2)))
            (local.set $bits (i32.and (local.get $bits) (i32.sub (local.get $bits) (i32.const 1))))
            (br $each)))
        (local.set $slot (i32.add (local.get $slot) (i32.const 8)))
        (br $eights)))
    (i32.shr_u (i32.sub (local.get $next) (local.get $found)) (i32.const 1))))
