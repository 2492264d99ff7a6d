import type { IPrimitivePaneRenderer, ISeriesPrimitive, Time } from 'lightweight-charts'
import type { Look } from '../drawing/look.ts'
import type { LegendLine } from '../legend/legend-store.ts'

type Target = Parameters<IPrimitivePaneRenderer['draw']>[0]

/** The name and values of an indicator, at the top of its pane. */
export class PaneLabel implements ISeriesPrimitive<Time> {
  #update: (() => void) | undefined
  #line: LegendLine | undefined
  #colour = ''

  attached({ requestUpdate }: { requestUpdate: () => void }): void {
    this.#update = requestUpdate
  }

  detached(): void {
    this.#update = undefined
  }

  set(line: LegendLine, look: Look): void {
    const isSame = textOf(line) === textOf(this.#line) && look.text === this.#colour
    this.#line = line
    this.#colour = look.text
    // Each update draws the whole chart.
    if (!isSame) this.#update?.()
  }

  paneViews() {
    return [{ zOrder: () => 'top' as const, renderer: () => ({ draw: (target: Target) => this.#draw(target) }) }]
  }

  #draw(target: Target): void {
    const line = this.#line
    if (!line) return
    // biome-ignore lint/correctness/useHookAtTopLevel: a method of the chart library, not a hook
    target.useMediaCoordinateSpace(({ context }) => {
      context.font = '500 11px "Inter Variable", system-ui, sans-serif'
      context.textBaseline = 'top'
      let x = 10
      for (const { text, colour } of [{ text: line.name, colour: this.#colour }, ...line.values]) {
        context.fillStyle = colour
        context.fillText(text, x, 5)
        x += context.measureText(text).width + 8
      }
    })
  }
}

const textOf = (line: LegendLine | undefined): string =>
  line ? [line.name, ...line.values.map(({ text, colour }) => text + colour)].join() : ''
