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

/** Something of this size that says it is an image. */
export const largeImage = (bytes: number): Upload => ({
  name: 'large.png',
  mimeType: 'image/png',
  buffer: Buffer.alloc(bytes, 1),
})
