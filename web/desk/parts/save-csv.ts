import { messageOf } from '#web/client/index.ts'
import { saveFile, toast } from '#web/ui/index.ts'
import { readFile } from '../api.ts'

/** Downloads a list as CSV with the current filters. `path` is below `/api`. */
export async function saveCsv(path: string, filter: Record<string, string> = {}): Promise<void> {
  try {
    const blob = await readFile(`${path}?${new URLSearchParams({ ...filter, format: 'csv' })}`)
    saveFile(blob, `${path.split('/').at(-1)}-${new Date().toISOString().slice(0, 10)}.csv`)
  } catch (error) {
    toast.error(messageOf(error))
  }
}
