import { useUser } from '#web/api/index.ts'

const STORED = 'searches'
const MOST = 4

function read(owner: string): string[] {
  try {
    const kept = JSON.parse(localStorage.getItem(STORED) ?? 'null') as { owner: string; texts: string[] } | null
    return kept?.owner === owner ? kept.texts : []
  } catch {
    return []
  }
}

/** What this user searched last, newest first, kept in this browser; and how another one is added. */
export function useRecentSearches(): { recent: readonly string[]; note: (typed: string) => void } {
  const { id } = useUser()
  const recent = read(id)
  return {
    recent,
    note: (typed) => {
      const text = typed.trim().slice(0, 40)
      const others = recent.filter((one) => one.toLowerCase() !== text.toLowerCase())
      const texts = [text, ...others].slice(0, MOST)
      if (text === '') return
      try {
        localStorage.setItem(STORED, JSON.stringify({ owner: id, texts }))
      } catch {
        // Without room in the browser, what was chosen still opens.
      }
    },
  }
}
