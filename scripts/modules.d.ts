declare module 'subset-font' {
  /** The font with only what `text` needs, and a part of its axes. */
  export default function subsetFont(
    font: Buffer,
    text: string,
    options: { targetFormat: 'woff2' | 'sfnt'; variationAxes?: Record<string, { min: number; max: number } | number> },
  ): Promise<Buffer>
}
