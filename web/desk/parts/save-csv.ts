import { messageOf } from '#web/client/index.ts'
import { toast } from '#web/ui/index.ts'
import { readFile } from '../api.ts'

/** Downloads a list as CSV with the current filters. `path` is below `/api`. */
export async function saveCsv(path: string, filter: Record<string, string> = {}): Promise<void> {
  try {
    const blob = await readFile(`${path}?${new URLSearchParams({ ...filter, format: 'csv' })}`)
    const link = document.createElement('a')
    link.href = URL.createObjectURL(blob)
    link.download = `${path.split('/').at(-1)}-${new Date().toISOString().slice(0, 10)}.csv`
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
  } catch (error) {
    toast.error(messageOf(error))
  }
}
