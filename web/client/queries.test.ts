import { QueryObserver } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { createQueryClient } from './queries.ts'

/** A query on a screen, whose reads the test answers, in the order in which they began. */
function watched() {
  const client = createQueryClient({ staleTime: 30_000, refetchOnWindowFocus: false })
  const reads: ((value: string) => void)[] = []
  const queryFn = () => new Promise<string>((resolve) => reads.push(resolve))
  const seen: (string | undefined)[] = []
  const observer = new QueryObserver(client, { queryKey: ['GET /withdraw', 'pages'], queryFn })
  observer.subscribe(({ data }) => seen.push(data))
  return { client, reads, seen }
}

test('a first read that is under way when its query is invalidated is followed by another', async () => {
  const { client, reads, seen } = watched()
  const done = client.invalidateQueries({ queryKey: ['GET /withdraw'] })
  expect(reads).toHaveLength(1)
  reads[0]?.('Pending')
  await expect.poll(() => reads).toHaveLength(2)
  expect(seen.at(-1)).toBe('Pending')
  reads[1]?.('Rejected')
  await done
  expect(seen.at(-1)).toBe('Rejected')
})

test('a first read is followed by one more, however often its query is invalidated meanwhile', async () => {
  const { client, reads, seen } = watched()
  const done = Promise.all([client.invalidateQueries(), client.invalidateQueries({ queryKey: ['GET /withdraw'] })])
  reads[0]?.('Pending')
  await expect.poll(() => reads).toHaveLength(2)
  reads[1]?.('Rejected')
  await done
  expect(reads).toHaveLength(2)
  expect(seen.at(-1)).toBe('Rejected')
})

test('other queries, and reads that nobody invalidates, are read once', async () => {
  const { client, reads, seen } = watched()
  await client.invalidateQueries({ queryKey: ['GET /deposit'] })
  reads[0]?.('Pending')
  await expect.poll(() => seen.at(-1)).toBe('Pending')
  expect(reads).toHaveLength(1)
})
