/** The theme chosen for the trading area. By default it is dark there, and the system's elsewhere. */
type Theme = 'dark' | 'light'
const KEY = 'theme'

export const storedTheme = (): Theme => (localStorage.getItem(KEY) === 'light' ? 'light' : 'dark')

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme)
  applyTheme(theme)
}

/** Applies the theme to the page; `undefined` follows the system. */
export function applyTheme(theme: Theme | undefined): void {
  if (theme) document.documentElement.dataset.theme = theme
  else delete document.documentElement.dataset.theme
}

/** Does the same before the first paint; runs inline, so that the trading area never flashes light. */
export const themeScript = `try{if(/^\\/user(\\/|$)/.test(location.pathname))document.documentElement.dataset.theme=localStorage.getItem('${KEY}')==='light'?'light':'dark'}catch{}`
