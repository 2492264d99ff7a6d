import { must } from '#kernel/must.ts'
import { Picture, pen } from '../parts/picture.tsx'

const REWARDS = [
  ['50', '2009'],
  ['25', '2012'],
  ['12.5', '2016'],
  ['6.25', '2020'],
  ['3.125', '2024'],
] as const

/** Bitcoin: the block reward, halved and halved again. */
export function HalvingPicture() {
  return (
    <Picture caption="New bitcoin per block. The reward is halved every 210,000 blocks, about every four years.">
      <path className={pen.quiet} d="M20 244H400" />
      {REWARDS.map(([reward, year], n) => {
        const height = Number(reward) * 3.7
        const x = 24 + n * 76
        return (
          <g key={year}>
            <rect
              className={n === REWARDS.length - 1 ? pen.accent : pen.muted}
              x={x}
              y={244 - height}
              width="60"
              height={height}
              rx="4"
            />
            <text className={pen.strong} x={x + 30} y={236 - height} textAnchor="middle">
              {reward}
            </text>
            <text className={pen.label} x={x + 30} y="266" textAnchor="middle">
              {year}
            </text>
          </g>
        )
      })}
    </Picture>
  )
}

/** Bitcoin Cash: a chain fork, with larger blocks on one side. */
export function ForkPicture() {
  return (
    <Picture caption="1 August 2017: one chain becomes two. A block of Bitcoin Cash may hold up to 32 MB.">
      <path className={pen.line} d="M22 140H150C190 140 190 74 230 74H404" />
      <path className={pen.accentLine} d="M150 140C190 140 190 206 230 206H404" />
      {[30, 78, 126].map((x) => (
        <rect className={pen.plate} key={x} x={x} y="124" width="32" height="32" rx="6" />
      ))}
      {[240, 292, 344].map((x) => (
        <rect className={pen.plate} key={x} x={x} y="58" width="32" height="32" rx="6" />
      ))}
      {[234, 318].map((x) => (
        <rect className={pen.soft} key={x} x={x} y="170" width="72" height="72" rx="10" />
      ))}
      {[0, 1, 2].flatMap((row) =>
        [0, 1, 2].map((column) => (
          <rect
            className={pen.accent}
            key={`${row}-${column}`}
            x={332 + column * 17}
            y={184 + row * 17}
            width="10"
            height="10"
            rx="2.5"
          />
        )),
      )}
      <text className={pen.label} x="240" y="42">
        Bitcoin
      </text>
      <text className={pen.strong} x="240" y="264">
        Bitcoin Cash
      </text>
    </Picture>
  )
}

/** Litecoin: four blocks in the time of one. */
export function PacePicture() {
  return (
    <Picture caption="Ten minutes, on average: one block of Bitcoin, four blocks of Litecoin.">
      <text className={pen.label} x="24" y="50">
        Bitcoin
      </text>
      <rect className={pen.plate} x="24" y="62" width="372" height="46" rx="8" />
      <text className={pen.strong} x="24" y="146">
        Litecoin
      </text>
      {[0, 1, 2, 3].map((n) => (
        <rect
          className={n === 3 ? pen.accent : pen.soft}
          key={n}
          x={24 + n * 94.5}
          y="158"
          width="88.5"
          height="46"
          rx="8"
        />
      ))}
      <path className={pen.quiet} d="M24 228H396M24 223V233M117 223V233M210 223V233M303 223V233M396 223V233" />
      {['0', '2.5', '5', '7.5', '10 min'].map((minute, n) => (
        <text
          className={pen.label}
          key={minute}
          x={24 + n * 93}
          y="254"
          textAnchor={n === 0 ? 'start' : n === 4 ? 'end' : 'middle'}
        >
          {minute}
        </text>
      ))}
    </Picture>
  )
}

/** Returns points on a circle, rounded to whole pixels. */
const around = (count: number, radius: number, x = 210, y = 140) =>
  Array.from({ length: count }, (_, n) => {
    const angle = (2 * Math.PI * n) / count - Math.PI / 2
    return { x: Math.round(x + radius * Math.cos(angle)), y: Math.round(y + radius * Math.sin(angle)) }
  })

const VALIDATORS = around(9, 108)

/** XRP: validators agreeing on one ledger after another. */
export function AgreementPicture() {
  return (
    <Picture caption="No mining: validators agree on the next ledger, every three to five seconds.">
      {VALIDATORS.flatMap((from, n) =>
        VALIDATORS.slice(n + 1).map((to) => (
          <path
            className={pen.quiet}
            key={`${from.x}-${from.y}-${to.x}-${to.y}`}
            d={`M${from.x} ${from.y}L${to.x} ${to.y}`}
          />
        )),
      )}
      {VALIDATORS.map((place, n) => (
        <circle
          className={n === 4 ? pen.muted : pen.soft}
          key={`${place.x}-${place.y}`}
          cx={place.x}
          cy={place.y}
          r="13"
        />
      ))}
      {VALIDATORS.filter((_, n) => n !== 4).map((place) => (
        <path className={pen.accentLine} key={`${place.x}-${place.y}`} d={`m${place.x - 5} ${place.y}l4 4 6-8`} />
      ))}
      <rect className={pen.accent} x="164" y="116" width="92" height="48" rx="10" />
      <text className={pen.onAccent} x="210" y="145" textAnchor="middle">
        Ledger
      </text>
    </Picture>
  )
}

/** Ethereum: an epoch of 32 slots around the coin's octahedron. */
export function EpochPicture() {
  const inner = around(32, 106)
  const slots = around(32, 122).map((outer, n) => ({ outer, inner: must(inner[n]) }))
  return (
    <Picture caption="An epoch: 32 slots of 12 seconds. In each, one validator proposes the next block.">
      {slots.map(({ outer, inner }, n) => (
        <path
          className={n < 11 ? pen.accentLine : pen.line}
          key={`${outer.x}-${outer.y}`}
          d={`M${inner.x} ${inner.y}L${outer.x} ${outer.y}`}
        />
      ))}
      <path className={pen.soft} d="M210 62 254 138 210 164 166 138Z" />
      <path className={pen.soft} d="M210 180 254 152 210 216 166 152Z" />
      <path className={pen.accentLine} d="M166 138 210 118 254 138M210 62V164" />
    </Picture>
  )
}
