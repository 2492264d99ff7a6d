import { useEffect, useState } from 'react'
import { messageOf } from '#web/client/index.ts'
import { readFile } from '../browser.ts'

/** Fetches a private file with the session's token. Returns an object URL, or why there is none. */
export function usePrivateFile(path: string): { url?: string; error?: string } {
  const [file, setFile] = useState<{ url?: string; error?: string }>({})
  useEffect(() => {
    let made: string | undefined
    let gone = false
    readFile(path).then(
      (blob) => {
        if (gone) return
        made = URL.createObjectURL(blob)
        setFile({ url: made })
      },
      (error: unknown) => gone || setFile({ error: messageOf(error) }),
    )
    return () => {
      gone = true
      if (made) URL.revokeObjectURL(made)
      setFile({})
    }
  }, [path])
  return file
}
