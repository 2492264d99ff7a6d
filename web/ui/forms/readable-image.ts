/** What the server reads. Anything else that the browser can show is converted. */
const SENT = ['image/jpeg', 'image/png', 'image/webp']
/** As the server: a phone's camera of '50 megapixels' makes a little more. */
const PIXELS_MAX = 50_400_000
/** Longest side of a converted picture in pixels. The server keeps no more. */
const SIDE_MAX = 4_096
const QUALITY = 0.9
const UNREADABLE = "This picture can't be read. Choose a JPEG, PNG or WebP."

/** Why a chosen file can't be sent, for people. */
export class NotReadable extends Error {}

/**
 * Returns a chosen file as a picture that the server takes: itself, or converted to JPEG where only this browser can read
 * it (HEIC in Safari). Throws `NotReadable` for anything else, so that nobody uploads it in vain.
 */
export async function readableImage(file: File): Promise<File> {
  const url = URL.createObjectURL(file)
  try {
    const picture = new Image()
    picture.src = url
    await picture.decode().catch(() => {
      throw new NotReadable(whyUnreadable(file))
    })
    const { naturalWidth: width, naturalHeight: height } = picture
    if (width * height > PIXELS_MAX) {
      const megapixels = Math.ceil((width * height) / 1_000_000)
      throw new NotReadable(`This picture has ${megapixels} megapixels; at most 50 can be read. Choose a smaller one.`)
    }
    return SENT.includes(file.type) ? file : await toJpeg(picture, file.name)
  } finally {
    URL.revokeObjectURL(url)
  }
}

function whyUnreadable({ type, name }: File): string {
  if (/hei[cf]/i.test(type) || /\.hei[cf]$/i.test(name))
    return "This browser can't read HEIC pictures. Choose a JPEG, PNG or WebP, or a screenshot of the picture."
  return type.startsWith('image/') ? UNREADABLE : "This file isn't an image. Choose a JPEG, PNG or WebP."
}

async function toJpeg(picture: HTMLImageElement, name: string): Promise<File> {
  const { naturalWidth, naturalHeight } = picture
  const scale = Math.min(1, SIDE_MAX / Math.max(naturalWidth, naturalHeight))
  const canvas = document.createElement('canvas')
  canvas.width = Math.round(naturalWidth * scale)
  canvas.height = Math.round(naturalHeight * scale)
  const context = canvas.getContext('2d')
  if (!context) throw new NotReadable(UNREADABLE)
  // A transparent picture would become black.
  context.fillStyle = '#ffffff'
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.drawImage(picture, 0, 0, canvas.width, canvas.height)
  const jpeg = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', QUALITY))
  if (!jpeg) throw new NotReadable(UNREADABLE)
  return new File([jpeg], `${name.replace(/\.\w+$/, '')}.jpg`, { type: 'image/jpeg' })
}
