/**
 * How pieces look.
 *
 * In: a catalogue, which may bring a layout of its author. Out: for every table a form (token, tile, card) and the columns that are
 * printed; for every row a shape, a colour, an icon if a word of its id is known, and a short label in each language. Shapes stand beside colours, so that nobody needs to tell
 * two colours from each other. What the author says of a look, holds; the rest follows from ids.
 *
 * @module
 */
import { inLanguage } from "referee-client";
import { PieceForm, PieceShape, type Column, type PieceLook, type Table } from "referee-client/v1";
import { WORDS } from "./words.ts";
import { isInteger, isRow, type Catalogue } from "./catalogue.ts";

/** The outline of a token. */
export type Outline = "circle" | "square" | "hexagon" | "diamond" | "shield" | "octagon" | "triangle" | "pentagon";
const OUTLINES: readonly Outline[] = ["circle", "square", "hexagon", "diamond", "shield", "octagon", "pentagon", "triangle"];

/** How big a piece is, and whether its name stands on it. */
export type Form = "token" | "tile" | "card";

/** How the pieces of a table look. */
export interface TableLook {
  readonly form: Form;
  /** Ids of the columns that are printed on a piece, in order. */
  readonly printed: readonly string[];
  /** Whether they are printed wherever the piece has its full form. */
  readonly prints: boolean;
}

/** How a row looks. */
export interface RowLook {
  readonly outline: Outline;
  /** Hue in degrees, saturation and lightness in percent. */
  readonly colour: readonly [number, number, number];
  /** The name of an icon; `undefined` if no word is known. */
  readonly icon: string | undefined;
}

/** Colours that differ in lightness as well as in hue. */
const PALETTE: readonly (readonly [number, number, number])[] = [
  [208, 55, 42],
  [32, 72, 50],
  [150, 38, 36],
  [338, 48, 48],
  [265, 38, 52],
  [190, 50, 40],
  [12, 58, 44],
  [52, 60, 46],
  [225, 30, 34],
  [100, 35, 44],
  [300, 28, 42],
  [20, 30, 34],
];

const wordsOf = (id: string): readonly string[] => id.toLowerCase().split(/[^a-z]+/).filter((word) => word !== "");

const lookOfWord = (word: string): (typeof WORDS)[string] | undefined =>
  Object.hasOwn(WORDS, word) ? WORDS[word] : word.endsWith("s") && Object.hasOwn(WORDS, word.slice(0, -1)) ? WORDS[word.slice(0, -1)] : undefined;

/** The icon that a word of an id stands for: that of the last word that is known. */
export function iconOf(id: string): string | undefined {
  const known = wordsOf(id).toReversed().map(lookOfWord).filter((look) => look?.icon !== undefined);
  return (known.find((look) => !look?.weak) ?? known[0])?.icon;
}

function colourOf(id: string): readonly [number, number, number] | undefined {
  return wordsOf(id)
    .map((word) => lookOfWord(word)?.colour)
    .find((colour) => colour !== undefined);
}

/** Tables whose pieces lie on other things, or of which there is one kind: they are counted and not read. */
function isCounted(catalogue: Catalogue, { id, columns, rows }: Table): boolean {
  const placed = [...catalogue.places.values()].filter(({ table }) => table === id);
  const onThings = placed.some(({ index }) => index.some((type) => isRow(type)));
  return (rows.length === 1 && columns.length < 4) || (onThings && columns.length <= 3 && rows.length <= 12 && !placed.some(({ pile }) => pile));
}

/** Tables of which somebody holds a hand or a deck lies face down, or of which much is to be read. */
function isRead(catalogue: Catalogue, { id, columns }: Table): boolean {
  const placed = [...catalogue.places.values()].filter(({ table }) => table === id);
  return columns.length >= 5 || placed.some(({ faces }) => faces === 2);
}

/** As many columns as are printed on a piece. */
const MOST_PRINTED = 12;

const COUNTS = /^(pieces|copies|printed|own_pieces|.*_pieces|.*_copies|.*_cards)$/;

/** The columns that a piece shows: numbers and rows, without how many of it the box holds. */
const printable = ({ id, type }: Column): boolean =>
  type !== undefined && (isInteger(type) || isRow(type)) && !COUNTS.test(id);

const FORMS: ReadonlyMap<PieceForm, Form> = new Map([
  [PieceForm.TOKEN, "token"],
  [PieceForm.TILE, "tile"],
  [PieceForm.CARD, "card"],
]);
const SHAPES: ReadonlyMap<PieceShape, Outline> = new Map([
  [PieceShape.CIRCLE, "circle"],
  [PieceShape.SQUARE, "square"],
  [PieceShape.HEXAGON, "hexagon"],
  [PieceShape.DIAMOND, "diamond"],
  [PieceShape.SHIELD, "shield"],
  [PieceShape.OCTAGON, "octagon"],
  [PieceShape.TRIANGLE, "triangle"],
  [PieceShape.PENTAGON, "pentagon"],
]);

/** `#rrggbb` as hue, saturation and lightness; whatever else somebody wrote is no colour. */
export function colourOfHex(hex: string): readonly [number, number, number] | undefined {
  const parts = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(hex);
  if (!parts) return undefined;
  const [r, g, b] = parts.slice(1).map((part) => Number.parseInt(part, 16) / 255) as [number, number, number];
  const [most, least] = [Math.max(r, g, b), Math.min(r, g, b)];
  const [light, span] = [(most + least) / 2, most - least];
  if (span === 0) return [0, 0, Math.round(light * 100)];
  const hue = most === r ? ((g - b) / span + 6) % 6 : most === g ? (b - r) / span + 2 : (r - g) / span + 4;
  return [Math.round(hue * 60), Math.round((span / (1 - Math.abs(2 * light - 1))) * 100), Math.round(light * 100)];
}

/** As many letters as a label has at most. */
const LONGEST_LABEL = 4;

/** What an author says of a look; nothing where that is no look. */
function said(look: PieceLook | undefined): Partial<RowLook> {
  if (!look) return {};
  const outline = SHAPES.get(look.shape);
  const colour = colourOfHex(look.colour);
  return {
    ...(outline ? { outline } : {}),
    ...(colour ? { colour } : {}),
    ...(/^[a-z0-9-]{1,40}$/.test(look.icon) ? { icon: look.icon } : {}),
  };
}

/** The looks of a whole ruleset. */
export class Looks {
  readonly #tables = new Map<string, TableLook>();
  readonly #rows = new Map<string, RowLook>();
  /** What the author says, by table, and by table and row. */
  readonly #said = new Map<string, Partial<RowLook>>();
  readonly #labels = new Map<string, PieceLook["label"]>();

  constructor(readonly catalogue: Catalogue) {
    for (const table of catalogue.ruleset.tables) {
      const form = isCounted(catalogue, table) ? "token" : isRead(catalogue, table) ? "card" : "tile";
      // What has a sign of its own is read at a glance; of the rest the pop-up tells.
      const columns = table.columns.filter(printable);
      const signed = columns.filter(({ id, type }) => iconOf(id) !== undefined || isRow(type!));
      this.#tables.set(table.id, { form, printed: (signed.length > 0 ? signed : columns).slice(0, MOST_PRINTED).map(({ id }) => id), prints: form === "card" });
    }
    for (const { table, form: wanted, printed, look, rows } of catalogue.ruleset.layout?.looks ?? []) {
      const before = this.table(table);
      const form = FORMS.get(wanted) ?? before.form;
      this.#tables.set(table, {
        form,
        printed: printed?.columns.slice(0, MOST_PRINTED) ?? before.printed,
        // An author who names columns wants them read.
        prints: form === "card" || (printed?.columns.length ?? 0) > 0,
      });
      for (const [key, one] of [[table, look] as const, ...rows.map(({ row, look }) => [`${table} ${row}`, look] as const)]) {
        this.#said.set(key, said(one));
        if (one?.label) this.#labels.set(key, one.label);
      }
    }
  }

  /** How the pieces of a table look. */
  table(id: string): TableLook {
    return this.#tables.get(id) ?? { form: "tile", printed: [], prints: false };
  }

  /** How a row looks. What its id does not tell, the first row that it names does: a field of corn looks like corn. */
  row(table: string, row: string): RowLook {
    const key = `${table} ${row}`;
    const known = this.#rows.get(key);
    if (known) return known;
    // A row that names itself, however indirectly, ends here.
    const at = Math.max(0, this.catalogue.order(table, row));
    const plain: RowLook = {
      outline: OUTLINES[at % OUTLINES.length]!,
      colour: PALETTE[at % PALETTE.length]!,
      icon: undefined,
    };
    this.#rows.set(key, plain);
    const own = iconOf(row);
    const ownColour = colourOf(row);
    let named: RowLook | undefined;
    if (own === undefined || ownColour === undefined) {
      for (const { value } of this.catalogue.cells(table, row)) {
        if (value.kind.case !== "row") continue;
        const look = this.row(value.kind.value.table, value.kind.value.row);
        if (look.icon === undefined) continue;
        named = look;
        break;
      }
    }
    const guessed = { ...plain, icon: own ?? named?.icon, colour: ownColour ?? named?.colour ?? plain.colour };
    const look = { ...guessed, ...this.#said.get(table), ...this.#said.get(key) };
    this.#rows.set(key, look);
    return look;
  }

  /** Every icon that the ruleset names. It hangs on nothing that only some players see. */
  icons(): ReadonlySet<string> {
    const { tables, counters, markers } = this.catalogue.ruleset;
    const rows = tables.flatMap(({ id, rows }) => rows.filter(({ inPlay }) => inPlay).map((row) => this.row(id, row.id).icon));
    const ids = [...counters, ...markers].map(({ id }) => id).concat(tables.flatMap(({ id }) => this.table(id).printed));
    return new Set([...rows, ...ids.map(iconOf)].filter((icon) => icon !== undefined));
  }

  /** A few letters for a row where it has no icon: what its author says, else the beginning of its name. */
  label(table: string, row: string, language: string): string {
    const own = inLanguage(this.#labels.get(`${table} ${row}`) ?? this.#labels.get(table), language);
    if (own) return [...own].slice(0, LONGEST_LABEL).join("");
    return labelOf(inLanguage(this.catalogue.row(table, row)?.names, language) ?? row);
  }
}

/** The first letters of the first words, or of the one word. */
export function labelOf(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
  const letters = words.length > 1 ? words.map((word) => [...word][0]).join("") : [...(words[0] ?? "?")].slice(0, 2).join("");
  return [...letters].slice(0, 3).join("");
}

/** From this lightness on an icon is drawn dark. */
const LIGHT = 70;

/** How bright a colour is seen, from 0 to 1. */
export function luminance([h, s, l]: readonly [number, number, number]): number {
  const span = (s / 100) * Math.min(l / 100, 1 - l / 100);
  const part = (n: number): number => {
    const at = (n + h / 30) % 12;
    const value = l / 100 - span * Math.max(-1, Math.min(at - 3, 9 - at, 1));
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * part(0) + 0.7152 * part(8) + 0.0722 * part(4);
}

/** From this brightness on black letters are read more easily than white ones; either is read on every colour. */
const BRIGHT = 0.179;

/** The custom properties of a colour, and of what is drawn on it: an icon is light as long as it can be, letters are read. */
export const colourStyle = ([h, s, l]: readonly [number, number, number]): Record<string, string> => ({
  "--h": String(h),
  "--s": `${s}%`,
  "--l": `${l}%`,
  "--letters": luminance([h, s, l]) > BRIGHT ? "#000" : "#fff",
  ...(l >= LIGHT ? { "--on": "#26221b", "--on-edge": "transparent" } : { "--on": "#fff", "--on-edge": "rgb(0 0 0 / 0.45)" }),
});
