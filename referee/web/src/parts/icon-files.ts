/**
 * Where the icons of pieces are.
 *
 * In: the drawings of src/icons, each a file of its own. Out: their addresses by name.
 *
 * @module
 */
const files = import.meta.glob<string>("../icons/*.svg", { query: "?url", import: "default", eager: true });

export const ADDRESSES: ReadonlyMap<string, string> = new Map(Object.entries(files).map(([path, address]) => [path.slice(path.lastIndexOf("/") + 1, -".svg".length), address]));
