import { Picture, pen } from './picture.tsx'

/** Segregated funds: one store for clients, one for the company, and a wall between them. */
export function FundsPicture() {
  return (
    <Picture caption="Client funds are segregated: held separately from the company's own money.">
      <path className={pen.quiet} d="M20 250H400" />
      <rect className={pen.plate} x="36" y="40" width="196" height="192" rx="14" />
      <rect className={pen.plate} x="280" y="112" width="112" height="120" rx="14" />
      <path className={pen.dashed} d="M256 24V250" />
      {[0, 1, 2, 3].flatMap((row) =>
        [0, 1, 2, 3].map((column) => (
          <rect
            className={row === 0 && column === 3 ? pen.accent : pen.soft}
            key={`${row}-${column}`}
            x={52 + column * 42}
            y={92 + row * 32}
            width="36"
            height="24"
            rx="5"
          />
        )),
      )}
      {[0, 1].map((row) => (
        <rect className={pen.muted} key={row} x="296" y={164 + row * 32} width="80" height="24" rx="5" />
      ))}
      <text className={pen.strong} x="52" y="72">
        Clients
      </text>
      <text className={pen.label} x="296" y="144">
        Company
      </text>
    </Picture>
  )
}
