import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { MANY_COMPARED } from '#contract/prices/measured.ts'
import { FEW_TRADES } from '#web/api/index.ts'
import { Notes } from './notes.tsx'

test('the notes warn about the best of many figures once these have ranges', () => {
  const of = (trades: number) => renderToStaticMarkup(<Notes data={{ trades, returned: 0 }} />)
  expect(of(FEW_TRADES)).toContain(MANY_COMPARED)
  expect(of(FEW_TRADES - 1)).not.toContain(MANY_COMPARED)
})
