import type { Incident } from '#contract/prices/incidents.ts'
import { must } from '#kernel/must.ts'
import { part } from '../../part.ts'
import { read } from '../../script/read.ts'
import { every } from '../draw.ts'
import { incidentText, lengthText } from './incident-words.ts'

const READ_MS = 60_000

/** Runs the list of incidents, read again each minute. */
export const runIncidents = (widget: HTMLElement): void => every(READ_MS, () => showIncidents(widget))

async function showIncidents(widget: HTMLElement): Promise<void> {
  const { data } = await read<{ data: { since: string; incidents: Incident[] } }>('public/incidents')
  const empty = part(widget, 'empty')
  empty.hidden = data.incidents.length > 0
  must(empty.firstElementChild).textContent = `No incident since ${data.since.slice(0, 10)}. New ones appear here.`
  part(widget, 'rows').replaceChildren(
    ...data.incidents.map((incident) => {
      const row = document.createElement('tr')
      const cell = (...parts: (string | Node)[]) => row.insertCell().append(...parts)
      cell(spanOf(incident.from.slice(0, 10)), ' ', spanOf(incident.from.slice(11, 16)))
      cell(incidentText(incident))
      cell(lengthText(incident))
      return row
    }),
  )
}

const spanOf = (text: string): HTMLElement => Object.assign(document.createElement('span'), { textContent: text })
