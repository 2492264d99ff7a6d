/** Reads from the API; throws unless it responds with success. */
export async function read<T>(path: string): Promise<T> {
  const answer = await fetch(`/api/${path}`)
  if (!answer.ok) throw new Error(String(answer.status))
  return (await answer.json()) as T
}
