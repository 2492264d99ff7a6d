declare module 'subset-font' {
  /** Returns the font reduced to the characters of `text` and to part of its axes. */
  export default function subsetFont(
    font: Buffer,
    text: string,
    options: { targetFormat: 'woff2' | 'sfnt'; variationAxes?: Record<string, { min: number; max: number } | number> },
  ): Promise<Buffer>
}

declare module 'fontkit' {
  interface Font {
    /** The code points that the font has. */
    characterSet: number[]
    hasGlyphForCodePoint(code: number): boolean
  }
  export function create(font: Buffer): Font
}
