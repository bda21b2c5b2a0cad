import { EventEmitter } from 'node:events';
import type { Card, Column, Member } from './model';

export type Filter = {
  text?: string;
  labels: string[];
  assignee?: string;
  overdue: boolean;
};

const EMPTY_FILTER: Filter = { labels: [], overdue: false };
const DAY = 24 * 60 * 60 * 1000;

interface BoardOptions {
  readonly title: string;
  limit?: number; // cards in a column
  storageKey?: string;
}

/**
 * A board of columns. It keeps the order of cards and tells
 * listeners what has changed.
 */
export class Board extends EventEmitter {
  private columns = new Map<string, Column>();
  private members: Member[] = [];
  private filter: Filter = EMPTY_FILTER;

  constructor(private readonly options: BoardOptions) {
    super();
    if (options.limit !== undefined && options.limit < 1) {
      throw new RangeError(`limit must be positive, not ${options.limit}`);
    }
  }

  addColumn(id: string, title: string): Column {
    if (this.columns.has(id)) {
      throw new Error(`there is a column "${id}" already`);
    }
    const column: Column = { id, title, cards: [] };
    this.columns.set(id, column);
    this.emit('column-added', column);
    return column;
  }

  addCard(columnId: string, card: Card): void {
    const column = this.requireColumn(columnId);
    const limit = this.options.limit ?? Infinity;
    // A full column takes nothing, not even for a moment.
    if (column.cards.length >= limit) {
      this.emit('refused', { card, reason: 'full' });
      return;
    }
    column.cards.push({ ...card, movedAt: Date.now() });
    this.emit('card-added', { columnId, card });
  }

  moveCard(cardId: string, from: string, to: string, index = 0): boolean {
    const source = this.requireColumn(from);
    const target = this.requireColumn(to);
    const place = source.cards.findIndex((card) => card.id === cardId);
    if (place === -1) {
      return false;
    }
    const [card] = source.cards.splice(place, 1);
    target.cards.splice(Math.min(index, target.cards.length), 0, card);
    card.movedAt = Date.now();
    this.emit('card-moved', { cardId, from, to });
    return true;
  }

  setFilter(filter: Partial<Filter>): void {
    this.filter = { ...this.filter, ...filter };
    this.emit('filtered', this.visible().length);
  }

  visible(now: number = Date.now()): Card[] {
    const wanted = this.filter.text?.toLowerCase();
    const all = [...this.columns.values()].flatMap((column) => column.cards);
    return all.filter((card) => {
      if (wanted && !card.title.toLowerCase().includes(wanted)) {
        return false;
      }
      if (this.filter.assignee && card.assignee !== this.filter.assignee) {
        return false;
      }
      if (this.filter.overdue && (card.due ?? now + DAY) > now) {
        return false;
      }
      return this.filter.labels.every((label) => card.labels.includes(label));
    });
  }

  async save(): Promise<void> {
    const key = this.options.storageKey ?? 'board';
    const data = JSON.stringify({
      title: this.options.title,
      columns: [...this.columns.values()],
      members: this.members.map((member) => member.id),
    });
    try {
      await navigator.locks.request(key, () => localStorage.setItem(key, data));
    } catch (error) {
      // Private windows have no storage; the board lives on in memory.
      console.warn('the board was not saved', error);
    }
  }

  private requireColumn(id: string): Column {
    const column = this.columns.get(id);
    if (!column) {
      throw new Error(`there is no column "${id}"`);
    }
    return column;
  }
}

export function summary(board: Board): string {
  const cards = board.visible();
  const overdue = cards.filter((card) => card.due && card.due < Date.now());

  return `${cards.length} cards, ${overdue.length} overdue`;
}
