/** The colours of the chart, as `rgb()` strings, since a canvas can't resolve the tokens. */
export interface Look {
  background: string
  text: string
  strong: string
  line: string
  up: string
  down: string
  onUp: string
  onDown: string
  accent: string
  warn: string
  raised: string
}

const TOKENS: Record<keyof Look, string> = {
  background: '--surface',
  text: '--text-3',
  strong: '--text',
  line: '--line',
  up: '--up',
  down: '--down',
  onUp: '--on-up',
  onDown: '--on-down',
  accent: '--accent',
  warn: '--warn',
  raised: '--raised',
}

/** Reads the tokens that apply to `element`, light or dark. */
export function readLook(element: HTMLElement): Look {
  const probe = document.createElement('i')
  probe.hidden = true
  element.append(probe)
  const look = {} as Look
  for (const [name, token] of Object.entries(TOKENS)) {
    probe.style.color = `var(${token})`
    look[name as keyof Look] = getComputedStyle(probe).color
  }
  probe.remove()
  return look
}

/** Returns the same colour with transparency: `alpha` from 0 to 1. */
export const fade = (rgb: string, alpha: number): string => {
  const [red, green, blue] = rgb.match(/[\d.]+/g) ?? ['0', '0', '0']
  return `rgba(${red}, ${green}, ${blue}, ${alpha})`
}

/** Calls `onChange` when the user or the system changes the theme. */
export function watchTheme(onChange: () => void): () => void {
  const observer = new MutationObserver(onChange)
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
  const system = matchMedia('(prefers-color-scheme: dark)')
  system.addEventListener('change', onChange)
  return () => {
    observer.disconnect()
    system.removeEventListener('change', onChange)
  }
}
