// Package tilecache keeps map tiles in memory and on disk.
package tilecache

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

const (
	defaultEntries = 4096
	defaultMaxAge  = 12 * time.Hour
	lockTimeout    = 250 * time.Millisecond
)

var (
	ErrNotFound = errors.New("tile not found")
	ErrTooOld   = errors.New("tile too old")
)

// Key names a tile.
type Key struct {
	Zoom, X, Y int
	Layer      string
}

func (k Key) path(root string) string {
	return filepath.Join(root, k.Layer, fmt.Sprint(k.Zoom), fmt.Sprintf("%d_%d.png", k.X, k.Y))
}

type entry struct {
	key    Key
	data   []byte
	stored time.Time
}

// Memory is a cache that forgets what was used least recently.
type Memory struct {
	mu      sync.Mutex
	entries map[Key]*list.Element
	order   *list.List
	limit   int
	hits    int
	misses  int
}

func NewMemory(limit int) *Memory {
	if limit <= 0 {
		limit = defaultEntries
	}
	return &Memory{
		entries: make(map[Key]*list.Element),
		order:   list.New(),
		limit:   limit,
	}
}

func (m *Memory) Get(ctx context.Context, key Key) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	element, ok := m.entries[key]
	if !ok {
		m.misses++
		return nil, ErrNotFound
	}
	m.hits++
	m.order.MoveToFront(element)
	return element.Value.(*entry).data, nil
}

func (m *Memory) Put(ctx context.Context, key Key, data []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if element, ok := m.entries[key]; ok {
		element.Value.(*entry).data = data
		m.order.MoveToFront(element)
		return nil
	}
	m.entries[key] = m.order.PushFront(&entry{key: key, data: data, stored: time.Now()})
	for m.order.Len() > m.limit {
		oldest := m.order.Back() // the least recently used
		delete(m.entries, oldest.Value.(*entry).key)
		m.order.Remove(oldest)
	}
	return nil
}

// Disk is a cache of files, one a tile.
type Disk struct {
	root   string
	maxAge time.Duration
}

func NewDisk(root string, maxAge time.Duration) (*Disk, error) {
	if maxAge <= 0 {
		maxAge = defaultMaxAge
	}
	if err := os.MkdirAll(root, 0o755); err != nil {
		return nil, fmt.Errorf("create cache folder: %w", err)
	}
	return &Disk{root: root, maxAge: maxAge}, nil
}

func (d *Disk) Get(ctx context.Context, key Key) ([]byte, error) {
	path := key.path(d.root)
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("look at tile: %w", err)
	}
	if time.Since(info.ModTime()) > d.maxAge {
		return nil, ErrTooOld
	}
	return os.ReadFile(path)
}

func (d *Disk) Put(ctx context.Context, key Key, data []byte) error {
	path := key.path(d.root)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("create tile folder: %w", err)
	}
	if err := os.WriteFile(path+".part", data, 0o644); err != nil {
		return fmt.Errorf("write tile: %w", err)
	}
	return os.Rename(path+".part", path)
}
