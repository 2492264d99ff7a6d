import { Picture, pen } from './picture.tsx'

/** The life of a trade: accepted, entered at the next price, ended at the last price in time. */
export function TradePicture() {
  return (
    <Picture caption="Example: Buy, $100 at 75/3. The exit is above the entry, so the trade pays $175. One step below it, and the $100 would be lost.">
      <path className={pen.quiet} d="M20 60H400M20 120H400M20 180H400" />
      <path className={pen.dashed} d="M118 150H400" />
      <path className={pen.line} d="M96 40V226M336 40V226" />
      <path
        className={pen.accentLine}
        d="M20 176 38 164 56 170 76 150 96 158 118 150 140 162 160 136 182 144 204 112 226 124 248 96 270 110 292 84 314 98 332 88"
      />
      <path className={pen.line} d="M332 88 352 104 374 94 398 108" />
      <circle className={pen.soft} cx="118" cy="150" r="6" />
      <circle className={pen.accent} cx="332" cy="88" r="6" />
      <text className={pen.label} x="96" y="246" textAnchor="middle">
        accepted
      </text>
      <text className={pen.label} x="336" y="246" textAnchor="middle">
        end
      </text>
      <text className={pen.strong} x="126" y="182">
        Entry
      </text>
      <text className={pen.strong} x="322" y="70" textAnchor="end">
        Exit
      </text>
    </Picture>
  )
}
