import type { Log } from '../process/log.ts'

/** The metrics of one node. Names follow Prometheus: base units, `_total` for counters. Keep labels bounded. */
export interface Metrics {
  /** Returns a function that counts. */
  counter<L extends string = never>(
    name: string,
    help: string,
    labels?: readonly L[],
  ): (labels?: Record<L, string>, by?: number) => void
  /** Returns a function that records one value. */
  histogram<L extends string = never>(
    name: string,
    help: string,
    options: { buckets: readonly number[]; labels?: readonly L[] },
  ): (value: number, labels?: Record<L, string>) => void
  /**
   * A value that is read when someone asks. A label combination that `read` doesn't set is left out. If it fails or is
   * slow, the metric is left out and the others still arrive.
   */
  gauge<L extends string = never>(
    name: string,
    help: string,
    read: (set: (value: number, labels?: Record<L, string>) => void) => void | Promise<void>,
    labels?: readonly L[],
  ): void
  /** A count that is kept elsewhere and read when someone asks. */
  total<L extends string = never>(
    name: string,
    help: string,
    read: (set: (value: number, labels?: Record<L, string>) => void) => void,
    labels?: readonly L[],
  ): void
  /** Returns all of them as Prometheus text. */
  text(): Promise<string>
  readonly contentType: string
}

/** How long a gauge may take: a database that hangs must not hide the other metrics. */
const PATIENCE_MS = 2_000
/**
 * prom-client samples the event loop at this interval, which wakes the process. We measure that ourselves
 * (platform/event-loop.ts), so it samples rarely, and what it finds is left out.
 */
const SAMPLE_EVERY_MS = 60_000
const NOT_EXPORTED = /^nodejs_eventloop_lag/

/**
 * Opens the metrics of this node. prom-client formats them and brings those of Node itself: escaping, histograms and
 * garbage collection would be a few hundred lines of ours, and it has two small dependencies.
 */
export async function openMetrics(log: Log): Promise<Metrics> {
  // Loaded here, because an engine without METRICS_PORT doesn't need it.
  const { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } = await import('prom-client')
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: SAMPLE_EVERY_MS })
  for (const { name } of registry.getMetricsAsArray()) if (NOT_EXPORTED.test(name)) registry.removeSingleMetric(name)
  const failed = new Counter({
    name: 'cleartick_metrics_failed_total',
    help: 'Gauges that could not be read in time',
    registers,
  })

  return {
    counter(name, help, labels = []) {
      const counter = new Counter({ name, help, labelNames: labels, registers })
      return (values, by = 1) => (values ? counter.inc(values, by) : counter.inc(by))
    },
    histogram(name, help, { buckets, labels = [] }) {
      const histogram = new Histogram({ name, help, buckets: [...buckets], labelNames: labels, registers })
      return (value, values) => (values ? histogram.observe(values, value) : histogram.observe(value))
    },
    gauge<L extends string>(
      name: string,
      help: string,
      read: (set: (value: number, labels?: Record<L, string>) => void) => void | Promise<void>,
      labels: readonly L[] = [],
    ) {
      new Gauge({
        name,
        help,
        labelNames: labels,
        registers,
        async collect() {
          const values = await valuesOf(read).catch((error: unknown) => {
            failed.inc()
            log.warn({ metric: name, error: String(error) }, 'a metric could not be read')
            return []
          })
          this.reset()
          // A reset sets a gauge without labels to 0, and absent is not zero.
          if (labels.length === 0) this.remove()
          for (const [value, given] of values) given ? this.set(given, value) : this.set(value)
        },
      })
    },
    total(name, help, read, labels = []) {
      new Counter({
        name,
        help,
        labelNames: labels,
        registers,
        collect() {
          this.reset()
          read((value, given) => (given ? this.inc(given, value) : this.inc(value)))
        },
      })
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  }
}

/** Returns what a gauge reads. Throws if that fails or takes too long. */
async function valuesOf<L extends string>(
  read: (set: (value: number, labels?: Record<L, string>) => void) => void | Promise<void>,
): Promise<[number, Record<L, string> | undefined][]> {
  const values: [number, Record<L, string> | undefined][] = []
  await withinPatience(async () => read((value, given) => values.push([value, given])))
  return values
}

async function withinPatience(work: () => Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no value within ${PATIENCE_MS} ms`)), PATIENCE_MS)
  })
  try {
    await Promise.race([work(), late])
  } finally {
    clearTimeout(timer)
  }
}

/** Metrics that nobody can read. */
export const NO_METRICS: Metrics = {
  counter: () => () => undefined,
  histogram: () => () => undefined,
  gauge: () => undefined,
  total: () => undefined,
  text: async () => '',
  contentType: 'text/plain',
}
