import type { Incident } from '#contract/incidents.ts'
import { read } from '../script/read.ts'
import { every } from './draw.ts'
import { incidentText, lengthText } from './incident-words.ts'

const READ_MS = 60_000

/** Runs the list of incidents, read again each minute. */
export const runIncidents = (widget: HTMLElement): void => every(READ_MS, () => showIncidents(widget))

async function showIncidents(widget: HTMLElement): Promise<void> {
  const { data } = await read<{ data: { since: string; incidents: Incident[] } }>('public/incidents')
  const empty = widget.querySelector<HTMLElement>('[data-empty]')!
  empty.hidden = data.incidents.length > 0
  empty.querySelector('p')!.textContent = `No incident since ${data.since.slice(0, 10)}. The next one will appear here.`
  widget.querySelector('[data-rows]')!.replaceChildren(
    ...data.incidents.map((incident) => {
      const row = document.createElement('tr')
      const time = inA('td', inA('span', incident.from.slice(0, 10)), ' ', inA('span', incident.from.slice(11, 16)))
      row.append(time, inA('td', incidentText(incident)), inA('td', lengthText(incident)))
      return row
    }),
  )
}

function inA(name: string, ...parts: (string | Node)[]): HTMLElement {
  const made = document.createElement(name)
  made.append(...parts)
  return made
}
