import { type ReactNode, useState } from 'react'
import { Button } from '#web/ui/index.ts'
import { chooseTheme, storedTheme } from '../theme.ts'

/** Switches the trading area between dark and light; the choice stays in this browser. */
export function ThemeToggle({ light, dark }: { light: ReactNode; dark: ReactNode }) {
  const [theme, setTheme] = useState(storedTheme)
  const other = theme === 'dark' ? 'light' : 'dark'
  return (
    <Button
      look="quiet"
      onClick={() => {
        chooseTheme(other)
        setTheme(other)
      }}
    >
      {other === 'light' ? light : dark}
      {other === 'light' ? 'Light theme' : 'Dark theme'}
    </Button>
  )
}
