/** One value of a metric. */
interface Sample {
  name: string
  labels: Record<string, string>
  value: number
}

/** Parses Prometheus text. */
function samplesIn(text: string): Sample[] {
  return text.split('\n').flatMap((line) => {
    const found = /^([a-z_:][\w:]*)(?:\{(.*)\})? (\S+)$/i.exec(line)
    if (!found) return []
    const labels = [...(found[2] ?? '').matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name, value]) => [name, value])
    return [{ name: found[1]!, labels: Object.fromEntries(labels), value: Number(found[3]) }]
  })
}

/** Reads the metrics that a process serves at an address, and returns a look-up for single values. */
export async function scrape(origin: string) {
  const response = await fetch(`${origin}/metrics`)
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${origin}/metrics: ${response.status} ${text}`)
  const samples = samplesIn(text)
  return {
    text,
    samples,
    /** Returns the value with these labels; undefined if there is none. */
    value: (name: string, labels: Record<string, string> = {}) =>
      samples.find(
        (sample) =>
          sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
      )?.value,
  }
}
