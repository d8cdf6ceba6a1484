/** What the person at the command line can mend: told in a sentence, without a stack. */
export class Mistake extends Error {}
