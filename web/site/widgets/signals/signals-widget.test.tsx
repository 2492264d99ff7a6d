import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { MANY_COMPARED } from '#contract/prices/measured.ts'
import { SignalsWidget } from './signals-widget.tsx'

test.each(['strategies', 'published'])('the section %s warns that the best of many is often lucky', (id) => {
  const section = renderToStaticMarkup(<SignalsWidget />)
    .split('<section')
    .find((part) => part.includes(`id="${id}"`))
  expect(section).toContain(MANY_COMPARED)
})
