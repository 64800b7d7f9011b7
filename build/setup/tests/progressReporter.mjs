// Reporter of Playwright: tells test.mjs how many tests there are, and of each that it has ended. Node's own modules only.
import { appendFileSync } from 'node:fs';
import { PROGRESS_VARIABLE } from './testProgress.mjs';

export default class ProgressReporter {
  #file = process.env[PROGRESS_VARIABLE];

  onBegin(_config, suite) {
    this.#tell(`total ${suite.allTests().length}`);
  }

  onTestEnd() {
    this.#tell('.');
  }

  printsToStdio() {
    return false;
  }

  #tell(line) {
    if (this.#file !== undefined) appendFileSync(this.#file, `${line}\n`);
  }
}
