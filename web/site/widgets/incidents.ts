import type { Incident } from '#contract/incidents.ts'
import { must } from '#kernel/must.ts'
import { read } from '../script/read.ts'
import { every } from './draw.ts'
import { incidentText, lengthText } from './incident-words.ts'

const READ_MS = 60_000

/** Runs the list of incidents, read again each minute. */
export const runIncidents = (widget: HTMLElement): void => every(READ_MS, () => showIncidents(widget))

async function showIncidents(widget: HTMLElement): Promise<void> {
  const {
    data: { since, incidents },
  } = await read<{ data: { since: string; incidents: Incident[] } }>('public/incidents')
  const empty = must(widget.querySelector<HTMLElement>('[data-empty]'))
  empty.hidden = incidents.length > 0
  must(empty.firstElementChild).textContent = `No incident since ${since.slice(0, 10)}. New ones appear here.`
  must(widget.querySelector('[data-rows]')).replaceChildren(
    ...incidents.map((incident) => {
      const row = document.createElement('tr')
      const cell = (...parts: (string | Node)[]) => row.insertCell().append(...parts)
      cell(spanOf(incident.from.slice(0, 10)), ' ', spanOf(incident.from.slice(11, 16)))
      cell(incidentText(incident))
      cell(lengthText(incident))
      return row
    }),
  )
}

function spanOf(text: string): HTMLElement {
  const span = document.createElement('span')
  span.textContent = text
  return span
}
