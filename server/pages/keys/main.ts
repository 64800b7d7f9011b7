import type { BuiltInPageChannel } from '../../contract/builtInPage.ts';
import type { ShownKeys } from '../../contract/keyboard.ts';
import { Board } from './board.ts';

const { faceplateHost } = window as unknown as { faceplateHost: BuiltInPageChannel };
const board = new Board(document.querySelector('.keys')!, (what) => faceplateHost.post(JSON.stringify(what)));
faceplateHost.listen((json) => board.show(JSON.parse(json) as ShownKeys));
