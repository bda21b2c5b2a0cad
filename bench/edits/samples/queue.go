package queue

import (
	"context"
	"errors"
	"fmt"
	"log"
	"sync"
	"time"
)

// ErrClosed is returned once the queue takes no more jobs.
var ErrClosed = errors.New("queue: closed")

// Job is one unit of work, tried up to Attempts times.
type Job struct {
	ID        string
	Payload   []byte
	Attempts  int
	NotBefore time.Time // zero for "as soon as possible"
}

// Handler does the work of a job.
type Handler func(ctx context.Context, job *Job) error

// Queue hands jobs to a fixed number of workers.
type Queue struct {
	mu      sync.Mutex
	pending []*Job
	running map[string]*Job
	closed  bool
	wake    chan struct{}
	handler Handler
	backoff time.Duration
}

// New makes a queue; nothing runs until Start is called.
func New(handler Handler, backoff time.Duration) *Queue {
	return &Queue{
		running: make(map[string]*Job),
		wake:    make(chan struct{}, 1),
		handler: handler,
		backoff: backoff,
	}
}

// Push adds a job at the end.
func (q *Queue) Push(job *Job) error {
	q.mu.Lock()
	defer q.mu.Unlock()

	if q.closed {
		return ErrClosed
	}
	if job.Attempts <= 0 {
		job.Attempts = 3
	}
	q.pending = append(q.pending, job)

	// A full channel means that somebody is already awake.
	select {
	case q.wake <- struct{}{}:
	default:
	}
	return nil
}

// next takes the first job that is due, or nil.
func (q *Queue) next(now time.Time) *Job {
	q.mu.Lock()
	defer q.mu.Unlock()

	for i, job := range q.pending {
		if job.NotBefore.After(now) {
			continue
		}
		q.pending = append(q.pending[:i], q.pending[i+1:]...)
		q.running[job.ID] = job
		return job
	}
	return nil
}

// Start runs the workers until the context is done.
func (q *Queue) Start(ctx context.Context, workers int) error {
	if workers < 1 {
		return fmt.Errorf("queue: %d workers are too few", workers)
	}
	var group sync.WaitGroup
	for n := 0; n < workers; n++ {
		group.Add(1)
		go func(n int) {
			defer group.Done()
			q.work(ctx, n)
		}(n)
	}
	group.Wait()
	return ctx.Err()
}

func (q *Queue) work(ctx context.Context, n int) {
	ticker := time.NewTicker(250 * time.Millisecond)
	defer ticker.Stop()

	for {
		job := q.next(time.Now())
		if job == nil {
			select {
			case <-ctx.Done():
				return
			case <-q.wake:
			case <-ticker.C:
			}
			continue
		}
		if err := q.handler(ctx, job); err != nil {
			log.Printf("worker %d: job %q failed: %v", n, job.ID, err)
			q.retry(job, err)
			continue
		}
		q.finish(job)
	}
}

// retry puts the job back with a delay that doubles each time.
func (q *Queue) retry(job *Job, cause error) {
	q.mu.Lock()
	defer q.mu.Unlock()

	delete(q.running, job.ID)
	job.Attempts--
	if job.Attempts == 0 {
		log.Printf("job %q is given up: %v", job.ID, cause)
		return
	}
	job.NotBefore = time.Now().Add(q.backoff)
	q.backoff *= 2
	q.pending = append(q.pending, job)
}

func (q *Queue) finish(job *Job) {
	q.mu.Lock()
	delete(q.running, job.ID)
	q.mu.Unlock()
}

// Len counts the jobs that wait and those that run.
func (q *Queue) Len() (waiting, running int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.pending), len(q.running)
}

// Close refuses new jobs; those already taken are finished.
func (q *Queue) Close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
}
