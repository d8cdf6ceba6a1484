/** An error that the user of the command line can fix. Shown as one sentence, without a stack trace. */
export class Mistake extends Error {}
