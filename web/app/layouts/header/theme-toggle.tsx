import { Moon, Sun } from 'lucide-react'
import { useState } from 'react'
import { Button } from '#web/ui/index.ts'
import { chooseTheme, shownTheme } from '../../theme.ts'

/** Switches between dark and light, everywhere; the choice is stored in this browser. */
export function ThemeToggle() {
  const [theme, setTheme] = useState(shownTheme)
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
