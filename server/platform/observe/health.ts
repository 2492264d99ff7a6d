/** Checks of the parts of a node: each returns an empty text when well, otherwise what is wrong. */
export type HealthParts = Readonly<Record<string, () => Promise<string>>>

/** What is worth knowing of parts whose failure takes nothing down, by part. */
export type HealthNotes = Readonly<Record<string, string>>

/** Returns what is wrong by part; an empty text for each that is well. */
export async function examineParts(parts: HealthParts): Promise<Record<string, string>> {
  const states = await Promise.all(
    Object.entries(parts).map(async ([name, ask]) => [name, await ask().catch(() => 'is down')] as const),
  )
  return Object.fromEntries(states)
}

/** Returns what is wrong as one line; an empty text if all is well. */
export const problemsOf = (states: Record<string, string>): string =>
  Object.entries(states)
    .filter(([, wrong]) => wrong !== '')
    .map(([name, wrong]) => `${name}: ${wrong}`)
    .join('; ')
