/** The theme of site, sign-in and app: the one chosen in this browser, else the system's. */
type Theme = 'dark' | 'light'
const KEY = 'theme'

export function shownTheme(): Theme {
  const { theme } = document.documentElement.dataset
  if (theme === 'dark' || theme === 'light') return theme
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme)
  document.documentElement.dataset.theme = theme
}

/** Applies the chosen theme before the first paint of every page; runs inline, so that none flashes. */
export const themeScript = `try{const t=localStorage.getItem('${KEY}');if(/^(dark|light)$/.test(t))document.documentElement.dataset.theme=t}catch{}`
