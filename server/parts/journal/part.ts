import { maskedRollout, maskedSettings } from '../../config/hiddenValues.ts';
import { definePart } from '../part.ts';
import { journalCommands } from './contract.ts';
import { JournalService, type Noted } from './service.ts';

/** Who changed what. It starts before all that may have something to write down. */
export const journal = definePart(
  'journal',
  ({ dataDir, resetNote, clock, log }) =>
    new JournalService({
      dataDir,
      clock,
      date: Date.now,
      masks: { 'settings.change': (tree) => maskedSettings(tree), 'fleet.rollout': maskedRollout },
      ...(resetNote !== undefined && { first: resetNote as Noted }),
      log,
    }),
).answering(journalCommands);
