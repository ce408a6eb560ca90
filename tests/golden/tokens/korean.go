// 패키지 scheduler 는 예약된 작업을 정해진 시간에 실행한다.
// 작업은 우선순위 큐에 저장되며, 실행 시간이 가장 빠른 것부터 꺼낸다.
package scheduler

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// 작업이 이미 취소되었을 때 반환되는 오류
var ErrCanceled = errors.New("작업이 취소되었습니다")

// Job 은 한 번만 실행되는 작업을 나타낸다.
type Job struct {
	Name  string        // 화면과 로그에 표시되는 이름
	RunAt time.Time     // 실행할 시각
	Retry int           // 실패했을 때 다시 시도할 횟수
	Delay time.Duration // 재시도 사이의 간격
	Do    func(ctx context.Context) error

	index    int
	canceled bool
}

type Scheduler struct {
	mu    sync.Mutex
	queue jobQueue
	wake  chan struct{}
}

// Add 는 새로운 작업을 등록한다. 실행 시각이 이미 지났다면 바로 실행된다.
func (s *Scheduler) Add(job *Job) error {
	if job.Do == nil {
		return fmt.Errorf("작업 %q 에 실행할 함수가 없습니다", job.Name)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	heap.Push(&s.queue, job)
	select {
	case s.wake <- struct{}{}: // 기다리는 고루틴을 깨운다
	default:
	}
	return nil
}

// Cancel 은 아직 시작되지 않은 작업을 취소한다. 실행 중인 작업에는 영향을 주지 않는다.
func (s *Scheduler) Cancel(job *Job) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if job.canceled {
		return ErrCanceled
	}
	job.canceled = true
	heap.Remove(&s.queue, job.index)
	return nil
}

// run 은 작업을 실행하고, 실패하면 정해진 횟수만큼 다시 시도한다.
func (s *Scheduler) run(ctx context.Context, job *Job) (err error) {
	for attempt := 0; attempt <= job.Retry; attempt++ {
		if err = job.Do(ctx); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(job.Delay):
		}
	}
	return fmt.Errorf("작업 %q 이 %d 번 실패했습니다: %w", job.Name, job.Retry+1, err)
}
