/** A start that can't continue, with a message for the person who started the server. */
export class StartProblem extends Error {
  override name = 'StartProblem'
}
