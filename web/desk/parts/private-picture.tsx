import { useQuery } from '@tanstack/react-query'
import { RotateCw, ZoomIn, ZoomOut } from 'lucide-react'
import { useEffect, useState } from 'react'
import { problemOf } from '#web/client/index.ts'
import { Button, ListError, Skeleton } from '#web/ui/index.ts'
import { readFile } from '../api.ts'
import styles from './private-picture.module.css'

const TURNS = ['0deg', '90deg', '180deg', '270deg']

/**
 * A picture that only operators may see, loaded with the desk's token; it can be rotated and enlarged. It is requested
 * only once, since every view is audited. It has its place from the beginning: the buttons below it must not move under a
 * press.
 */
export function PrivatePicture({ path, label }: { path: string; label: string }) {
  const file = useQuery({
    queryKey: ['file', path],
    queryFn: () => readFile(path.replace(/^\/api/, '')),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  const url = useObjectUrl(file.data)
  const [turn, setTurn] = useState(0)
  const [large, setLarge] = useState(false)
  const problem = problemOf(file)
  return (
    <figure className={styles.frame} aria-busy={!url && !problem}>
      <div className={large ? styles.large : styles.window}>
        {url ? (
          <img src={url} alt={label} ref={(image) => void image?.style.setProperty('rotate', TURNS[turn] ?? null)} />
        ) : problem ? (
          <ListError {...problem} />
        ) : (
          <Skeleton kind="block" className={styles.loading} />
        )}
      </div>
      <figcaption className={styles.tools}>
        <Button look="quiet" size="small" disabled={!url} onClick={() => setLarge(!large)}>
          {large ? <ZoomOut aria-hidden /> : <ZoomIn aria-hidden />} {large ? 'Fit' : 'Full size'}
        </Button>
        <Button look="quiet" size="small" disabled={!url} onClick={() => setTurn((turn + 1) % TURNS.length)}>
          <RotateCw aria-hidden /> Turn
        </Button>
      </figcaption>
    </figure>
  )
}

function useObjectUrl(blob: Blob | undefined): string | undefined {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    if (!blob) return setUrl(undefined)
    const made = URL.createObjectURL(blob)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [blob])
  return url
}
