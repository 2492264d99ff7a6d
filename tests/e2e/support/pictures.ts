import sharp from 'sharp'

interface Upload {
  name: string
  mimeType: string
  buffer: Buffer
}

/** A small picture of an ID, as a camera would have made it. */
export const photo = async (name = 'id.png'): Promise<Upload> => ({
  name,
  mimeType: 'image/png',
  buffer: await sharp({ create: { width: 640, height: 400, channels: 3, background: '#3b6ea5' } })
    .png()
    .toBuffer(),
})

/** Returns a file of this size that claims to be an image. */
export const largeImage = (bytes: number): Upload => ({
  name: 'large.png',
  mimeType: 'image/png',
  buffer: Buffer.alloc(bytes, 1),
})

/** Returns a street map of a fictional town, 2,000 by 800 pixels. */
export const townMap = (): Promise<Buffer> => {
  const streets = [120, 380, 610, 990, 1290, 1640].map((x) => `<path d="M${x} 0L${x + 90} 800"/>`).join('')
  return sharp(
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="2000" height="800"><rect width="2000" height="800" fill="#e9ece6"/>` +
        `<g stroke="#fff" stroke-width="26">${streets}<path d="M0 210L2000 300M0 560L2000 520"/></g>` +
        `<path d="M0 700Q900 640 2000 760V800H0Z" fill="#a9cbe0"/><circle cx="1010" cy="400" r="18" fill="#c33"/></svg>`,
    ),
  )
    .png()
    .toBuffer()
}
