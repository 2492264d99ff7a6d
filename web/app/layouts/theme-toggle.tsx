import { Moon, Sun } from 'lucide-react'
import { useState } from 'react'
import { Button } from '#web/ui/index.ts'
import { chooseTheme, storedTheme } from '../theme.ts'

/** Switches the trading area between dark and light; the choice is stored in this browser. */
export function ThemeToggle() {
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
      {other === 'light' ? <Sun aria-hidden /> : <Moon aria-hidden />}
      {other === 'light' ? 'Light theme' : 'Dark theme'}
    </Button>
  )
}
