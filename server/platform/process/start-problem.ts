/** A start that can't continue, with a message for the person who started the server. */
export class StartProblem extends Error {
  override name = 'StartProblem'
}

/** The folder of an installation isn't there: commands create none. */
export const noDataFolder = (dataDir: string): StartProblem =>
  new StartProblem(
    `There is no folder ${dataDir}.\nSet DATA_DIR to the folder of the installation, as for the server. npm start creates one.`,
  )
