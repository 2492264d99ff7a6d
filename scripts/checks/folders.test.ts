import { expect, test } from 'vitest'
import { countFiles, wideFolders } from './folders.ts'

test('counts a test with its file, a style sheet with its component, and no README', () => {
  expect(countFiles(['README.md', 'field.tsx', 'field.module.css', 'field.test.tsx', 'field.property.test.tsx'])).toBe(
    1,
  )
  expect(countFiles(['reserve.sql.ts', 'reserve.sql.test.ts', 'db.ts', 'db.pool.test.ts'])).toBe(2)
  expect(countFiles(['alerts.test.ts', 'orders.spec.ts', 'store.ts', 'inter.woff2'])).toBe(4)
})

test('reports folders with too many files, and exceptions that are not needed', () => {
  const many = (folder: string, count: number) => Array.from({ length: count }, (_, i) => `${folder}/${i}.ts`)
  const paths = ['web/', 'web/ui/', ...many('web/ui', 17), ...many('web/ui/forms', 18), ...many('db/migrations', 40)]
  expect(wideFolders(paths, { 'db/migrations': 'numbered' })).toEqual([
    'web/ui/forms has 18 files side by side, at most 17 may be: group them by subject',
  ])
  expect(wideFolders(many('db', 17), { db: 'numbered', gone: 'numbered' })).toEqual([
    'db has at most 17 files: it needs no exception',
    'gone has at most 17 files: it needs no exception',
  ])
})
