import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { must } from '#kernel/must.ts'
import '#web/ui/tokens.css'
import { queryClient } from './api.ts'
import { Desk } from './desk.tsx'
import { applyTheme, storedTheme } from './shell/theme.ts'

applyTheme(storedTheme())

createRoot(must(document.getElementById('root'))).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <Desk />
    </QueryClientProvider>
  </StrictMode>,
)
